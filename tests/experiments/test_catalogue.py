"""The list of experiments: complete, well-formed, and quick to load."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lookalike.errors import RecipeError
from lookalike.experiments import CLAIMS, REPORTS, catalogue
from lookalike.experiments.catalogue import _library_digest, code_digest, files_of

if TYPE_CHECKING:
    from lookalike.experiments import Experiment

EXPERIMENTS = catalogue.experiments()


def test_together_they_cover_the_checklist() -> None:
    covered = {item for experiment in EXPERIMENTS for item in experiment.items}
    wanted = {*range(49, 53), *range(60, 63), *range(70, 87)}
    assert wanted - covered == set()


def test_no_two_have_the_same_name() -> None:
    assert len({experiment.id for experiment in EXPERIMENTS}) == len(EXPERIMENTS)
    assert len({experiment.title for experiment in EXPERIMENTS}) == len(EXPERIMENTS)


def test_each_is_in_one_group() -> None:
    grouped = [name for group in catalogue.GROUPS for name in group.ids]
    assert grouped == [experiment.id for experiment in EXPERIMENTS]
    assert {group.report for group in catalogue.GROUPS} == {"Report A", "Report B", "Article C", "Ours"}


def test_conclusions_name_experiments_that_exist_and_their_items() -> None:
    by_id = {experiment.id: experiment for experiment in EXPERIMENTS}
    for claim in CLAIMS.values():
        assert set(claim.experiments) <= set(by_id), claim.id
        assert claim.report in REPORTS
        assert claim.text
        assert claim.id.startswith(f"{claim.report}-")
    assert len({claim.text for claim in CLAIMS.values()}) == len(CLAIMS), "each conclusion once"
    sections = [claim.section for claim in CLAIMS.values() if claim.id.startswith("A-9.")]
    assert [section.partition(", and")[0] for section in sections] == [f"§9, conclusion {n}" for n in range(1, 9)]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.id)
def test_each_says_what_it_is(experiment: Experiment) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", experiment.id), "a name of files"
    assert list(experiment.items) == sorted(set(experiment.items))
    assert 0 < experiment.seconds < 3600
    assert not experiment.title.endswith(".")
    assert experiment.caption.endswith((".", "?"))
    assert 60 <= len(experiment.caption) <= 600


def test_every_file_with_an_experiment_is_in_the_list() -> None:
    folder = Path(catalogue.__file__).parent
    holding = {
        path.stem for path in folder.glob("*.py") if re.search(r"^EXPERIMENTS?\b.*=\s", path.read_text(), re.MULTILINE)
    }
    assert holding == set(catalogue.MODULES)


@pytest.mark.parametrize(("asked", "near"), [("similarity", "similarity-by-k"), ("aproaches", "approaches")])
def test_a_wrong_name_gets_near_ones(asked: str, near: str) -> None:
    with pytest.raises(RecipeError, match=f"did you mean .*{near}"):
        catalogue.by_id(asked)


def test_the_list_loads_neither_matplotlib_nor_numpy() -> None:
    program = """
import sys
from lookalike.cli import main
main(["experiment", "list", "--format", "json"])
print(*sorted({"matplotlib", "numpy", "pyarrow", "rich"} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.split() == []


def test_measuring_and_judging_need_no_matplotlib() -> None:
    program = """
import sys
sys.modules["matplotlib"] = sys.modules["numpy"] = None  # importing them fails
from lookalike.experiments.catalogue import by_id
from lookalike.experiments import Setup
for name in ("comparisons", "precision"):
    experiment, setup = by_id(name), Setup(quick=True)
    print(len(experiment.judge(experiment.measure(setup, lambda share: None), setup)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3", "3"]


# -- which code an experiment depends on -------------------------------------------------------------------------------


def test_an_experiment_depends_on_what_it_imports_and_not_on_other_experiments() -> None:
    names = {path.stem for path in files_of("precision")}
    assert {"precision", "data", "figures", "reports", "__init__"} <= names
    assert not names & {"approaches", "gallery", "store"}


def test_other_code_has_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Path.read_bytes
    digests = {}
    for touched in ("", "precision.py", "data.py", "approaches.py", "find.py"):
        with monkeypatch.context() as patch:
            patch.setattr(Path, "read_bytes", lambda path, touched=touched: read(path) + b"#" * (path.name == touched))
            for cached in (code_digest, _library_digest):
                cached.cache_clear()
            digests[touched] = code_digest("precision")
    for cached in (code_digest, _library_digest):
        cached.cache_clear()
    assert digests["approaches.py"] == digests[""]
    assert len({digests[name] for name in ("", "precision.py", "data.py", "find.py")}) == 4
