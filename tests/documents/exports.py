"""Exports of learning platforms as they come: generated, with names that nobody would choose for a test."""

from __future__ import annotations

import random
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

WORDS = [
    *[
        "tide",
        "moon",
        "water",
        "gravity",
        "because",
        "ocean",
        "study",
        "shore",
        "wave",
        "energy",
        "river",
        "people",
        "light",
        "force",
        "balance",
        "earth",
        "orbit",
    ],
    *[
        "coast",
        "city",
        "history",
        "model",
        "result",
        "method",
        "strong",
        "slow",
        "deep",
        "early",
        "storm",
        "wind",
        "sail",
        "boat",
        "harbour",
        "fish",
        "reef",
    ],
]


def essay(seed: int, words: int = 120) -> str:
    """An essay that is like no other."""
    chance = random.Random(seed)
    return " ".join(chance.choice(WORDS) for _ in range(words))


TYPED = "<p>I confirm that all of this is my own work and of nobody else.</p>"
"""What everybody types in."""
MOODLE = {
    "Amelia Abbott_101_assignsubmission_file_/essay.txt": essay(1),
    "Amelia Abbott_101_assignsubmission_onlinetext_/onlinetext.html": TYPED,
    "Ben Baker_102_assignsubmission_file_/drafts/final.txt": f"{essay(1, 90)} {essay(91, 30)}",
    "Ben Baker_102_assignsubmission_file_/notes.txt": essay(2),
    "Ben Baker_102_assignsubmission_onlinetext_/onlinetext.html": TYPED,
    "Zoë Čapek-Ríos_103_assignsubmission_file_/essay.txt": f"{essay(2)} {essay(92, 20)}",
    "Zoë Čapek-Ríos_103_assignsubmission_file_/draft.txt": essay(2),
    "李小龍_104_assignsubmission_file_/essay.txt": essay(3),
    "Ann Lee_105_assignsubmission_file_/essay.txt": essay(4),
    "Ann Lee_106_assignsubmission_file_/essay.txt": f"{essay(4)} and so on",
    "Uma Noble_107_assignsubmission_file_/broken.docx": "PK\3\4 not a document",
    "__MACOSX/Ann Lee_105_assignsubmission_file_/._essay.txt": "x",
    "Ann Lee_105_assignsubmission_file_/.DS_Store": "x",
}
"""By default: a folder for each student and each kind. Ben has copied from Amelia, and Zoë from Ben."""

CANVAS = {
    "abbottamelia_5101_90001_essay.txt": essay(1),
    "abbottamelia_5101_text.html": TYPED,
    "bakerben_LATE_5102_90002_essay-1.txt": f"{essay(1, 90)} {essay(91, 30)}",
    "bakerben_LATE_5102_90003_2026_notes.txt": essay(2),
    "de_la_čapek_zoë_5103_90004_my_long_essay_2.txt": f"{essay(2)} {essay(92, 20)}",
    "leeann_5105_90006_essay.txt": essay(4),
    "leeann_5106_90007_essay.txt": f"{essay(4)} and so on",
    "anon_x7Kd2_90008_essay.txt": essay(5),
    "LATE_anon_q1w2e_90009_essay.txt": essay(8),
}


def receipt(student: str, user: str, typed: str = "") -> str:
    """The receipt that Blackboard writes for a submission."""
    text = typed or "There is no student submission text data for this assignment."
    return (
        f"Name: {student} ({user})\nAssignment: Essay_1\nDate Submitted: Saturday, January 31, 2026 12:00:00 PM CET\n"
        f"Current Grade: Needs Grading\n\nSubmission Field:\n{text}\n\nComments:\nThere are no student comments for "
        "this assignment.\n\nFiles:\n\tOriginal filename: essay.txt\n\tFilename: Essay_1_x_attempt_essay.txt\n"
    )


BLACKBOARD = {
    "Essay_1_aabbott_attempt_2026-01-30-12-00-00_essay.txt": essay(1),
    "Essay_1_aabbott_attempt_2026-01-30-12-00-00.txt": receipt("Amelia Abbott", "aabbott"),
    "Essay_1_b_baker_attempt_2026-01-31-09-30-00_essay.txt": f"{essay(1, 90)} {essay(91, 30)}",
    "Essay_1_b_baker_attempt_2026-01-31-09-30-00_notes_2.txt": essay(2),
    "Essay_1_b_baker_attempt_2026-01-31-09-30-00.txt": receipt("Ben Baker", "b_baker"),
    "Essay_1_zc_attempt_2026-02-01-09-30-00.txt": receipt("Zoë Čapek", "zc", f"<p>{essay(2)} &amp; more</p>"),
    "Essay_1_nobody_attempt_2026-02-01-09-30-00_essay.txt": essay(6),
}
"""Zoë typed her essay in, and of the last one the receipt is missing."""

TEAMS = {
    **{
        f"Team 1-{name}_{n}_assignsubmission_file_/report.txt": essay(1)
        for n, name in enumerate(("Al Li", "Jo-Ann Ray"))
    },
    **{f"Team 1-b-{name}_{n}_assignsubmission_file_/report.txt": essay(7) for n, name in enumerate(("Cy", "Di"), 2)},
    "Team 3-Ed_9_assignsubmission_file_/report.txt": f"{essay(1, 100)} {essay(93, 20)}",
}
"""As old versions of Moodle export teams: each member has a copy."""


def unpacked(files: dict[str, str], folder: Path) -> Path:
    """Write the files of an export into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def packed(files: dict[str, str], path: Path) -> Path:
    """Write them into a zip file."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path
