"""Exports of learning platforms: which student submitted which file, by the names that the platforms give.

* Moodle: ``Amelia Abbott_12345_assignsubmission_file_/essay.docx`` and ``…_onlinetext_/onlinetext.html``, without the
  last underscore since 4.1, or all in one folder as ``…_assignsubmission_file_essay.docx``. A team is exported once, as
  ``Team 1_77_assignsubmission_file``; older versions gave each member a copy, as ``Team 1-Amelia Abbott_12345_…``.
* Canvas: ``abbottamelia_LATE_12345_67890_essay.docx``: the student, the user and the file; ``…_12345_text.html`` was
  typed in, and ``anon_x7kd2_67890_essay.docx`` is by somebody who is not named.
* Blackboard: ``Essay 1_aabbott_attempt_2026-01-31-12-00-00_essay.docx``, and a receipt with the name of the student and
  the text that was typed in: ``Essay 1_aabbott_attempt_2026-01-31-12-00-00.txt``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from html import unescape
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lookalike.documents.metadata import Metadata

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from lookalike.tables.columns import DocumentIds

__all__ = ["ONLINE_TEXT", "Export", "Receipt", "Submitted", "receipt_of", "recognise", "submitted"]

ONLINE_TEXT: Final = "online text"
"""What a text is called that was typed in, not uploaded as a file."""
_MOODLE: Final = "_assignsubmission_"
_CANVAS: Final = (
    r"(?:(?P<name>[^\x00-/:-@\[-^`{-\x7f\s]+?)_)?(?:LATE_)?(?P<user>\d+|anon_[a-zA-Z0-9]+)_"
    r"(?:(?P<number>\d+)_(?P<file>.+)|(?P<typed>text|link)\.html)"
)
"""In the name of a student, Canvas leaves letters, their marks, digits and underscores, of all scripts."""
_BLACKBOARD: Final = r"(?P<before>.+)_attempt_(?P<date>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)"
_RECEIPT: Final = re.compile(r"_attempt_\d{4}(?:-\d\d){5}\.txt$")
_NO_TEXT: Final = "There is no student submission text data"
_PLACEHOLDER: Final = 25
"""Words: in a receipt that is not in English, fewer are taken to be the sentence that there is no text."""


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


class Submitted(NamedTuple):
    """What is known from the name of a file."""

    platform: str
    place: str
    """The folder or archive that has the export."""
    student: str
    """As the platform wrote it."""
    number: str
    """Tells students of one name apart: of Moodle and Canvas a number, of Blackboard the user name."""
    file: str
    """As the student named it."""
    date: datetime | None = None
    attachment: str = ""
    """Canvas only: the number of the file. Members of a group may share one."""

    @property
    def key(self) -> tuple[str, ...]:
        """Tells students apart. Moodle numbers them again for each assignment."""
        own = (self.place, self.student, self.number) if self.platform == "Moodle" else (self.number,)
        return (self.platform, *own)


@dataclass(frozen=True, slots=True)
class Export:
    """What was recognised."""

    platforms: tuple[str, ...]
    metadata: Mapping[int, Metadata]
    """Author, file and date by the numbers of documents; no two students have the same name."""

    def by_id(self, ids: DocumentIds) -> dict[Any, Metadata]:
        """Return what is known by the ids of documents; of a new and an old one with the same id, of the new one."""
        told: dict[Any, Metadata] = {}
        for number, known in self.metadata.items():
            told.setdefault(ids[number], known)
        return told

    def __str__(self) -> str:
        """Describe it in words.

        >>> str(recognise(["Al Li_1_assignsubmission_file_/a.txt", "Bo Li_2_assignsubmission_file_/a.txt"]))
        'recognised as an export of Moodle: 2 files by 2 students'
        """
        students = len({known.author for known in self.metadata.values()})
        files = f"{len(self.metadata):,} file{'s' * (len(self.metadata) != 1)}"
        who = f"{students:,} student{'s' * (students != 1)}"
        return f"recognised as an export of {' and '.join(self.platforms)}: {files} by {who}"


def recognise(
    ids: Iterable[object],
    lengths: Sequence[int] | None = None,
    students: Mapping[str, str] | None = None,
    *,
    certain: bool = False,
) -> Export | None:
    """Return who submitted which document, by the paths that are their ids; None if no export is among them.

    `lengths` are those of the texts: a team whose members have a copy each is known by them. `students` are names by
    user name, as receipts have them. Names of Canvas could be those of other files too: unless it is `certain` that
    there is an export, all files of a folder must fit them.

    >>> recognise(["x.zip/Al Li_1_assignsubmission_file_/a.txt", "x.zip/Al Li_1_assignsubmission_onlinetext_/o.html"])
    Export(platforms=('Moodle',), metadata={0: Metadata(name='', author='Al Li', date=None, label='', file='a.txt'), \
1: Metadata(name='', author='Al Li', date=None, label='', file='online text')})
    >>> recognise(["essays/anna.txt", "report_2024_01_draft.txt"])
    """
    paths = [str(name).split("/") for name in ids]
    found = {number: one for number, names in enumerate(paths) if (one := _submitted(names)) is not None}
    if not certain:
        found = _without_doubtful(found, paths)
    if not found:
        return None
    found = _with_users(found, students or {})
    teams = _teams(found, lengths)
    names = _told_apart({one.key: one for one in found.values() if one.key not in teams}, teams)
    metadata = {n: Metadata(author=names[one.key], date=one.date, file=one.file) for n, one in found.items()}
    return Export(tuple(sorted({one.platform for one in found.values()})), metadata)


def submitted(path: str) -> Submitted | None:
    """Return what the name of a file says; None if it is not one that a platform gives.

    >>> [one and one.file for one in map(submitted, ("Al_1_assignsubmission_onlinetext_/o.html", "essays/al.txt"))]
    ['online text', None]
    """
    return _submitted(path.split("/"))


# -- names of files ----------------------------------------------------------------------------------------------------


def _submitted(names: Sequence[str]) -> Submitted | None:
    """Read a path from its first part on: what a student has packed is in the later parts."""
    for of_platform in (_of_moodle, _of_blackboard, _of_canvas):
        for depth, name in enumerate(names):
            if found := of_platform("/".join(names[:depth]), name, names[depth + 1 :]):
                return found
    return None


def _of_moodle(place: str, name: str, inside: Sequence[str]) -> Submitted | None:
    who, there, rest = name.partition(_MOODLE)
    if not there or not who:
        return None
    kind, _, file = rest.partition("_")
    path = "/".join(part for part in (file, *inside) if part)
    if not path or not kind:
        return None
    student, _, number = who.rpartition("_")
    if not student or not number.isdecimal():
        student, number = who, ""
    # Moodle leaves no underscore in a name; programs that unpack replace spaces by them.
    return Submitted("Moodle", place, student.replace("_", " ").strip(), number, _file(path, kind == "onlinetext"))


def _of_canvas(place: str, name: str, inside: Sequence[str]) -> Submitted | None:
    found = _pattern(_CANVAS).fullmatch(name)
    if found is None:
        return None
    student = found["name"] or ""
    if found["user"].startswith("anon_") and student in ("", "LATE"):
        student = found["user"].lower()
    if not student or student != student.lower():
        return None
    if found["typed"]:
        file = ONLINE_TEXT if found["typed"] == "text" else "link"
        return Submitted("Canvas", place, student, found["user"], file)
    file = "/".join((found["file"], *inside))
    return Submitted("Canvas", place, student, found["user"], file, attachment=found["number"])


def _of_blackboard(place: str, name: str, inside: Sequence[str]) -> Submitted | None:
    found = _pattern(_BLACKBOARD).fullmatch(name)
    if found is None:
        return None
    try:
        date = datetime.strptime(found["date"], "%Y-%m-%d-%H-%M-%S").replace(tzinfo=UTC)
    except ValueError:
        date = None
    file = "/".join((found["file"], *inside)) if found["file"] else ONLINE_TEXT
    return Submitted("Blackboard", place, found["before"], found["before"], file, date)


def _file(path: str, typed: bool) -> str:
    return ONLINE_TEXT if typed and "/" not in path else path


def _without_doubtful(found: dict[int, Submitted], paths: Sequence[Sequence[str]]) -> dict[int, Submitted]:
    """Return what was found, without Canvas names in folders that do not look like Canvas exports."""
    canvas: dict[str, list[Submitted]] = defaultdict(list)
    for one in found.values():
        if one.platform == "Canvas":
            canvas[one.place].append(one)
    if not canvas:
        return found
    there = Counter("/".join(names[:depth]) for names in paths for depth in range(len(names)))
    real = {place for place, those in canvas.items() if len(those) >= 0.9 * there[place] and _like_canvas(those)}
    return {number: one for number, one in found.items() if one.platform != "Canvas" or one.place in real}


def _like_canvas(those: Collection[Submitted]) -> bool:
    """Return whether the numbers are of users and files: each user has one name, and hardly any name has two users."""
    users: dict[str, set[str]] = defaultdict(set)
    for one in those:
        users[one.number].add(one.student)
    names = {name for named in users.values() for name in named}
    numbers = [number for one in those for number in (one.number, one.attachment) if number.isdecimal()]
    real = all(len(number) > 1 and not number.startswith("0") for number in numbers)
    return real and len(users) > 1 and all(len(one) == 1 for one in users.values()) and 2 * len(names) > len(users)


# -- students ----------------------------------------------------------------------------------------------------------


def _with_users(found: Mapping[int, Submitted], students: Mapping[str, str]) -> dict[int, Submitted]:
    """Separate the assignment from the user name in what Blackboard writes: either may have underscores."""
    by_place: dict[str, set[str]] = defaultdict(set)
    for one in found.values():
        if one.platform == "Blackboard":
            by_place[one.place].add(one.student)
    if not by_place:
        return dict(found)
    users = sorted(students, key=len, reverse=True)
    told = {(place, name): _user(name, names, users) for place, names in by_place.items() for name in names}
    made: dict[int, Submitted] = {}
    for number, one in found.items():
        user = told.get((one.place, one.student)) if one.platform == "Blackboard" else None
        made[number] = one if user is None else one._replace(student=students.get(user, user), number=user)
    return made


def _user(name: str, names: set[str], users: Sequence[str]) -> str:
    for user in users:
        if name.endswith(f"_{user}"):
            return user
    assignment = name
    for other in names - {name}:
        while not other.startswith(assignment):
            assignment = assignment[: max(0, assignment.rfind("_", 0, -1) + 1)]
    # Of one student alone, the user name has no underscore.
    return name[len(assignment) if assignment != name else name.rfind("_") + 1 :]


def _teams(found: Mapping[int, Submitted], lengths: Sequence[int] | None) -> dict[tuple[str, ...], str]:
    """Return the name of the team of each student who has one: its members have copies of the same files."""
    if lengths is None:
        return {}
    own: dict[tuple[str, ...], list[tuple[str, int, str]]] = defaultdict(list)
    first: dict[tuple[str, ...], Submitted] = {}
    for number, one in found.items():
        own[one.key].append((one.file, lengths[number], one.attachment))
        first.setdefault(one.key, one)
    of_moodle: dict[str, list[Submitted]] = defaultdict(list)
    for one in first.values():
        if one.platform == "Moodle":
            of_moodle[one.place].append(one)
    # Of a team submission, every name begins with that of a team.
    with_teams = {place for place, those in of_moodle.items() if all("-" in one.student for one in those)}
    alike: dict[tuple[object, ...], list[Submitted]] = defaultdict(list)
    for key, one in first.items():
        if one.place in with_teams or (one.platform == "Canvas" and all(file[2] for file in own[key])):
            alike[one.platform, one.place, *sorted(own[key])].append(one)
    teams: dict[tuple[str, ...], str] = {}
    for those in alike.values():
        if len(those) > 1:
            teams |= _moodle_teams(those) if those[0].platform == "Moodle" else _canvas_team(those)
    return teams


def _moodle_teams(those: Sequence[Submitted]) -> dict[tuple[str, ...], str]:
    """Find the longest beginning that each name shares with another, up to a hyphen."""
    beginnings = Counter(start for one in those for start in _beginnings(one.student))
    members: dict[str, list[Submitted]] = defaultdict(list)
    for one in those:
        if shared := [start for start in _beginnings(one.student) if beginnings[start] > 1]:
            members[shared[-1]].append(one)
    teams: dict[tuple[str, ...], str] = {}
    for team, listed in members.items():
        if len(listed) > 1:
            called = f"{team}: {', '.join(one.student[len(team) + 1 :] for one in listed)}"
            teams |= {one.key: called for one in listed}
    return teams


def _beginnings(name: str) -> list[str]:
    """Return the part before each hyphen.

    >>> _beginnings("Team 1-A-Jean-Luc Picard")
    ['Team 1', 'Team 1-A', 'Team 1-A-Jean']
    """
    return [name[: hyphen.start()] for hyphen in re.finditer("-", name)]


def _canvas_team(those: Sequence[Submitted]) -> dict[tuple[str, ...], str]:
    called = " + ".join(one.student for one in those)
    return {one.key: called for one in those}


def _told_apart(
    students: Mapping[tuple[str, ...], Submitted], teams: Mapping[tuple[str, ...], str]
) -> dict[tuple[str, ...], str]:
    """Return a name for each student that no other has: followed by the export or the number, where needed.

    >>> one = Submitted("Moodle", "x.zip", "Al Li", "1", "a.txt")
    >>> list(_told_apart({key: one._replace(number=key[0]) for key in (("1",), ("2",))}, {}).values())
    ['Al Li [1]', 'Al Li [2]']
    """
    same: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for key, one in students.items():
        same[one.student].append(key)
    names = dict(teams)
    for name, keys in same.items():
        places = {students[key].place for key in keys}
        for key in keys:
            one = students[key]
            own = (one.place.rpartition("/")[2] if len(places) == len(keys) else "") or one.number or one.platform
            names[key] = name if len(keys) == 1 else f"{name} [{own}]"
    taken = Counter(names[key] for key in students) + Counter(set(teams.values()))
    return {key: name if taken[name] < 2 else f"{name} [{'/'.join(key)}]" for key, name in names.items()}


# -- receipts of Blackboard --------------------------------------------------------------------------------------------


class Receipt(NamedTuple):
    """What Blackboard writes next to the files of a student."""

    user: str
    student: str
    text: str
    """What was typed in; empty if there are only files."""


def receipt_of(name: str, text: str) -> Receipt | None:
    r"""Read a receipt; None if the document is none. Its first line ends with the user name that the file has.

    >>> receipt_of("x/Essay_aabbott_attempt_2026-01-31-12-00-00.txt", "Name: Al Abbott (aabbott)\nAssignment: Essay\n\n"
    ...     "Submission Field:\n<p>Tides &amp; moons.</p>\n\nComments:\nNone.\n\nFiles:\n\tOriginal filename: a.docx\n")
    Receipt(user='aabbott', student='Al Abbott', text='Tides & moons.')
    """
    if not (end := _RECEIPT.search(name)):
        return None
    head, _, rest = text.replace("\r\n", "\n").lstrip("\ufeff\n").partition("\n")
    called = re.fullmatch(r"[^:：]{1,40}[:：]\s*(?P<student>.*?)\s*\((?P<user>[^()]+)\)\s*", head)
    if called is None or not name[: end.start()].endswith(f"_{called['user']}"):
        return None
    return Receipt(called["user"], called["student"] or called["user"], _typed_in(rest))


def _typed_in(rest: str) -> str:
    """Return the text in the first section: it is headed by a line with a colon, and ends where comments begin."""
    sections = [*re.finditer(r"^[^\s:：][^:：\n]{0,60}[:：][ \t]*$", rest, re.MULTILINE)]
    if not sections:
        return ""
    english = sections[0][0].startswith("Submission Field")
    ends = [one.start() for one in sections[1:] if not english or one[0].rstrip(" \t:") in ("Comments", "Files")]
    # What is typed in may have lines like headings: the last two are those of comments and of files.
    end = (ends[-2:] or [len(rest)])[0]
    text = rest[sections[0].end() : end].strip()
    if text.startswith(_NO_TEXT) or (not english and len(text.split()) < _PLACEHOLDER):
        return ""
    marked = re.sub(r"<(?:/p|/div|/li|/h\d|br\s*/?)>", "\n", text, flags=re.IGNORECASE)
    return unescape(re.sub(r"<[^<>]*>", "", marked)).strip() if "<" in text else text
