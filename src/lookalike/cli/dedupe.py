"""`lookalike dedupe PATH…`: one document of each group stays; what was removed, and in whose favour, is written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.dedupe_rows import column_values, split_rows
from lookalike.cli.help import examples
from lookalike.cli.hints import command_line
from lookalike.cli.messages import complain
from lookalike.cli.output import Color, ColorOption, QuietOption, VerboseOption, draw, send, wants_color
from lookalike.cli.reading import PathsArgument, Reading, say_notes, with_reading
from lookalike.cli.recipe_options import with_recipe
from lookalike.cli.row_files import kind_of
from lookalike.cli.running import run_search
from lookalike.cli.searching import Search, with_search
from lookalike.cli.writing import keep_sources
from lookalike.errors import RecipeError
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time

if TYPE_CHECKING:
    from lookalike.documents import Source
    from lookalike.result import Result
    from lookalike.search.plan import Plan

__all__ = ["HELP", "dedupe"]

HELP = examples(
    "Keep one document of each group of near-copies; write what is kept, and why.",
    "lookalike dedupe corpus.parquet                show what would be removed",
    "lookalike dedupe corpus.parquet -o kept.parquet --plan plan.csv",
    "lookalike dedupe corpus.jsonl --keep max:stars -o kept.jsonl --removed removed.jsonl",
    "lookalike dedupe essays/ --keep oldest -o kept.txt",
    "lookalike dedupe --result run.lookalike --plan plan.csv",
    last="No source is ever changed. Names of outputs end in .parquet, .jsonl or .csv; of a folder, .txt lists paths.",
)

KeepOption = Annotated[
    str,
    typer.Option(
        "--keep",
        metavar="RULE",
        help="longest (default), shortest, first, newest, oldest, max:COLUMN, min:COLUMN or source:A,B.",
        show_default=False,
    ),
]
DropOption = Annotated[bool, typer.Option("--drop-all", help="Keep none of a group.")]
KeptOption = Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="Write what is kept.")]
RemovedOption = Annotated[str | None, typer.Option("--removed", metavar="FILE", help="Write what is removed.")]
PlanOption = Annotated[
    str | None, typer.Option("--plan", metavar="FILE", help="Write each removed id, the kept one and the score.")
]
DateOption = Annotated[
    str | None, typer.Option("--date-column", metavar="NAME", help="The date, for --keep newest and oldest.")
]
ResultOption = Annotated[
    str | None, typer.Option("--result", metavar="FILE", help="Use what scan --save wrote; do not search again.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Write over files that exist.")]


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files that are written."""

    kept: str | None
    removed: str | None
    plan: str | None

    def check(self, paths: list[str], *, force: bool) -> None:
        """Refuse what cannot be written, before anything is read."""
        for name in (self.kept, self.removed):
            if name is not None:
                kind_of(name, names=True)
        if self.plan is not None:
            kind_of(self.plan)
        keep_sources([self.kept, self.removed, self.plan], paths, force=force)

    @property
    def any(self) -> bool:
        """Whether anything is written."""
        return any((self.kept, self.removed, self.plan))


@with_recipe
@with_reading
@with_search
def dedupe(
    paths: PathsArgument = None,  # type: ignore[assignment]  # none are needed with --result
    *,
    reading: Reading,
    search: Search,
    recipe: Recipe,
    keep: KeepOption = "longest",
    drop_all: DropOption = False,
    output: KeptOption = None,
    removed: RemovedOption = None,
    plan: PlanOption = None,
    date_column: DateOption = None,
    result: ResultOption = None,
    force: ForceOption = False,
    color: ColorOption = Color.AUTO,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Search, plan, and write or show the plan."""
    from lookalike.search.keep import KeepRule
