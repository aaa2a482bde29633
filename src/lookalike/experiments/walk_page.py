"""The steps of a walk as tables, and the page on which sliders change them.

The script of the page computes the same tables as `tables` from the same units, so a browser needs nothing but the
file; the tests compare the two for many settings.
"""

from __future__ import annotations

import html
import re
from decimal import ROUND_HALF_UP, Decimal
from importlib import resources
from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike.report import embedded, joined, part, policy, shown_as_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.experiments.walk import Walk

__all__ = ["ShownTable", "in_notebook", "page", "state_table", "tables"]

LIMIT: Final = 200
"""Rows of the matrix, and steps, that the page lists; it computes with all of them."""
SET: Final = 60
"""Shingles of a document that are listed."""
EXCERPT: Final = 60
"""Characters of a text that stand for it."""
MOST_K: Final = 20
"""Up to here goes the slider for k, or further if more was asked for."""

SAYS: Final = {
    "settings": ("Settings", "p is the least prime that is not below the number of rows."),
    "shingles": ("1. Shingles", "Each document becomes the set of its shingles: every k units in a row, each once."),
    "matrix": (
        "2. Characteristic matrix",
        (
            "A row for each shingle, a column for each document: 1 if it has the shingle. Beside it, what each hash "
            "function makes of the row number x."
        ),
    ),
    "steps": (
        "3. Signature, row by row",
        (
            "All numbers begin as ∞. In each row, every document that has a 1 keeps the smaller of its number and the "
            "row's hash value."
        ),
    ),
    "signature": ("4. Signature matrix", "What is left when all rows are done: h numbers for each document."),
    "bands": (
        "5. Bands",
        (
            "The signature is cut into b bands of r rows. Documents whose numbers in a band are all equal fall into "
            "the same bucket."
        ),
    ),
    "candidates": (
        "6. Candidate pairs",
        (
            "Whoever shares a bucket in at least one band is a candidate. P is the probability of that for ideal hash "
            "functions: 1 − (1 − Jʳ)ᵇ."
        ),
    ),
    "scores": (
        "7. Scores",
        (
            "Only candidates would be compared in a real search; here all pairs are, to see what the bands miss. "
            "Found: a candidate at or above the threshold (1/b)^(1/r). Missed: similar enough, but no candidate."
        ),
    ),
    "work": ("Work done", "How often something was computed."),
}
"""The title of each table and what it shows."""

_SHOWN: Final = {" ": "␣", "\n": "⏎", "\t": "⇥"}


class ShownTable(NamedTuple):
    """A table as a person sees it: every cell is a text."""

    id: str
    header: list[str]
    rows: list[list[str]]

    @property
    def title(self) -> str:
        """Its heading."""
        return SAYS[self.id][0]

    @property
    def says(self) -> str:
        """What it shows, in a sentence or two."""
        return SAYS[self.id][1]


def tables(walk: Walk, limit: int = LIMIT) -> list[ShownTable]:
    """Return the steps as tables; of the matrix and the steps at most `limit` rows (0: all)."""
    return [
        ShownTable("settings", ["What", "Value"], _settings(walk)),
        ShownTable("shingles", ["", "Document", "Shingles", "Different", "The set"], _sets(walk)),
        ShownTable("matrix", ["x", "Shingle", *labels(walk), *_functions(walk)], _some(_matrix(walk), limit)),
        ShownTable("steps", ["x", "Shingle", "Changes"], _some(_steps(walk), limit)),
        state_table(walk),
        ShownTable("bands", ["Band", *labels(walk), "Same bucket"], _bands(walk)),
        ShownTable("candidates", ["Pair", "J", "P", "Same in bands", "Candidate"], _candidates(walk)),
        ShownTable(
            "scores",
            ["Pair", "Shared", "Union", "Jaccard", "Estimate", "Error", "Cosine", "Euclidean", "LSH"],
            _scores(walk),
        ),
        ShownTable("work", ["What", "Times"], [[what, str(times)] for what, times in walk.work.items()]),
    ]


def state_table(walk: Walk, row: int | None = None) -> ShownTable:
    """Return the signature matrix, after a row of the matrix or at the end."""
    state = walk.signature if row is None else walk.state(row)
    rows = [[f"h{n}", *map(_slot, values)] for n, values in enumerate(state, start=1)]
    return ShownTable("signature", ["", *labels(walk)], rows)


def labels(walk: Walk) -> list[str]:
    """Return what documents are called in the tables: S1, S2, …"""
    return [f"S{n}" for n in range(1, len(walk.names) + 1)]


def rounded(value: float) -> str:
    """Return a number to three places; halves go up, as in a browser.

    >>> rounded(0.0625), rounded(1)
    ('0.063', '1.000')
    """
    return str(Decimal(value).quantize(Decimal("0.001"), ROUND_HALF_UP))


def _settings(walk: Walk) -> list[list[str]]:
    bands, hashes = walk.bands, walk.recipe.hashes
    return [
        ["k, units in a shingle", f"{walk.recipe.k} {'words' if walk.recipe.unit == 'word' else 'characters'}"],
        ["h, hash functions", str(hashes)],
        ["b × r, bands of rows", f"{bands.bands} × {bands.rows} = {bands.hashes_used} of {hashes}"],
        ["rows of the matrix", str(len(walk.elements))],
        ["p, modulus of the hash functions", str(walk.prime)],
        ["threshold (1/b)^(1/r)", rounded(walk.threshold)],
        ["P is one half at J =", rounded(bands.half_point)],
    ]


def _sets(walk: Walk) -> list[list[str]]:
    rows = []
    for label, document, every in zip(labels(walk), _documents(walk), walk.shingles, strict=True):
        different = list(dict.fromkeys(every))
        listed = [shown(one, walk.recipe.unit) for one in different[:SET]]
        if len(different) > SET:
            listed.append(f"… {len(different) - SET} more")
        rows.append([label, document, str(len(every)), str(len(different)), " · ".join(listed)])
    return rows


def _documents(walk: Walk) -> Iterator[str]:
    """Give the name of each document, or the beginning of its text if it has none."""
    for label, name, units in zip(labels(walk), walk.names, walk.units, strict=True):
        text = (" " if walk.recipe.unit == "word" else "").join(units) if name == label else name
        yield shown_as_text(text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…")


def _matrix(walk: Walk) -> Iterator[list[str]]:
    p = walk.prime
    for x, (element, cells) in enumerate(zip(walk.elements, walk.matrix, strict=True)):
        yield [
            str(x),
            shown(element, walk.recipe.unit),
            *map(str, cells),
            *(str((a * x + b) % p) for a, b in walk.functions),
        ]


def _functions(walk: Walk) -> list[str]:
    """Return the functions as the article writes them above its columns."""
    return [f"h{n} = {'' if a == 1 else a}x + {b} mod {walk.prime}" for n, (a, b) in enumerate(walk.functions, start=1)]


def _steps(walk: Walk) -> Iterator[list[str]]:
    for step in walk.steps:
        changed = [
            f"S{document + 1}: "
            + ", ".join(f"h{n + 1} {_slot(old)} → {new}" for one, n, old, new in step.changes if one == document)
            for document in dict.fromkeys(change[0] for change in step.changes)
        ]
        yield [str(step.row), shown(walk.elements[step.row], walk.recipe.unit), "; ".join(changed) or "none"]


def _bands(walk: Walk) -> list[list[str]]:
    r, rows = walk.bands.rows, []
    for band in range(walk.bands.bands):
        parts = [" ".join(map(_slot, part)) for part in zip(*walk.signature[band * r : band * r + r], strict=True)]
        buckets: dict[str, list[str]] = {}
        for label, part_of_one in zip(labels(walk), parts, strict=True):
            buckets.setdefault(part_of_one, []).append(label)
        same = [" = ".join(together) for together in buckets.values() if len(together) > 1]
        rows.append([str(band + 1), *parts, ", ".join(same) or "–"])
    return rows


def _candidates(walk: Walk) -> list[list[str]]:
    return [
        [
            f"S{pair.a + 1}, S{pair.b + 1}",
            rounded(pair.jaccard),
            rounded(pair.chance),
            ", ".join(str(band + 1) for band in pair.bands) or "–",
            "yes" if pair.bands else "no",
        ]
        for pair in walk.pairs
    ]


def _scores(walk: Walk) -> list[list[str]]:
    return [
        [
            f"S{pair.a + 1}, S{pair.b + 1}",
            str(pair.shared),
            str(pair.union),
            *map(rounded, (pair.jaccard, pair.estimate, abs(pair.jaccard - pair.estimate))),
            *map(rounded, (pair.cosine, pair.euclidean)),
            pair.finding or "–",
        ]
        for pair in walk.pairs
    ]


def _some(rows: Iterator[list[str]], limit: int) -> list[list[str]]:
    every = list(rows)
    if not limit or len(every) <= limit:
        return every
    return [*every[:limit], ["…", f"{len(every) - limit} more rows"]]


def _slot(value: int | None) -> str:
    return "∞" if value is None else str(value)


def shown(shingle: str, unit: str = "char") -> str:
    r"""Return a shingle as it is shown: white space between characters has a sign of its own, as has what hides.

    >>> shown("a b"), shown("a b", "word"), shown("")
    ('a␣b', 'a b', '(empty)')
    """
    return "".join(c if c == " " and unit == "word" else _signs(c) for c in shingle) or "(empty)"


def _signs(character: str) -> str:
    return shown_as_text(_SHOWN.get(character, character))


# -- the page ----------------------------------------------------------------------------------------------------------


def page(walk: Walk) -> str:
    """Return the whole page."""
    style = part("base.css") + _own("walk.css")
    script = joined([part("dom.js"), part("theme.js"), _own("walk.js")])
    values = {
        "policy": policy(script, style),
        "style": style,
        "script": script,
        "data": embedded(_data(walk)),
        "static": "\n".join(map(_section, tables(walk))),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], _own("walk.html"))


def in_notebook(walk: Walk) -> str:
    """Return the tables, which every notebook shows, and the page with sliders inside for those that run scripts."""
    inside = html.escape(page(walk), quote=True)
    frame = (
        f'<iframe srcdoc="{inside}" title="The steps with sliders" sandbox="allow-scripts" loading="lazy" '
        'style="width:100%;height:720px;border:1px solid #888;background:#fff"></iframe>'
    )
    return "\n".join(map(_section, tables(walk, 20))) + f"<details><summary>With sliders</summary>{frame}</details>"


def _data(walk: Walk) -> dict[str, object]:
    longest = max(map(len, walk.units))
    return {
        "documents": list(_documents(walk)),
        "signs": {c: _signs(c) for of_one in walk.units for unit in of_one for c in unit if _signs(c) != c},
        "units": [list(of_one) for of_one in walk.units],
        "unit": walk.recipe.unit,
        "k": walk.recipe.k,
        "mostK": max(walk.recipe.k, min(MOST_K, longest)),
        "h": walk.recipe.hashes,
        "b": walk.bands.bands,
        "r": walk.bands.rows,
        "draws": walk.draws,
        "given": walk.functions_given,
        "sort": walk.sort,
        "limits": {"rows": LIMIT, "set": SET},
        "says": {name: {"title": title, "says": says} for name, (title, says) in SAYS.items()},
    }


def _section(table: ShownTable) -> str:
    """Return a table in HTML without scripts: what printers, notebooks and browsers without scripts show."""
    head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in table.header)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    return (
        f"<section><h2>{table.title}</h2><p>{html.escape(table.says)}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></section>"
    )


def _own(name: str) -> str:
    return resources.files("lookalike.experiments").joinpath(name).read_text(encoding="utf-8")
