"""lookalike itself, by the same protocol, and like the others in an environment with nothing but what it needs.

Variants: its defaults, and "classic" (128 or 256 independent hash functions instead of the fast sketch).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.engines.protocol import Answer, Index, Signer, Task, serve

if TYPE_CHECKING:
    from lookalike import Recipe


def recipe(task: Task) -> Recipe:
    """Return the recipe of a task; what is not said in it is the default."""
    from lookalike import Recipe

    hashes = task.hashes if task.kind == "signatures" else 256
    unit: Any = task.unit
    made = Recipe(unit=unit, k=task.k, hashes=hashes)
    return made.replace(sketch="classic") if task.variant == "classic" else made


def search(task: Task) -> Answer:
    import lookalike as la

    method: Any = "exact" if task.kind == "exact" else "auto"
    result = la.find(
        la.open_paths([task.path]), task.threshold, method=method, recipe=recipe(task), threads=task.threads
    )
    listed, _clusters = result.listed, result.grouping  # both are made when they are asked for
    return Answer.pairs(zip(listed.values("a"), listed.values("b"), strict=True))  # by the numbers of rows


def sign(task: Task, texts: list[str]) -> Signer:
    import lookalike as la

    made = recipe(task)
    return Signer(
        sign=lambda: la.sign(texts, made, threads=1),
        rows=lambda signatures: [signatures[at] for at in range(len(texts))],
    )


def index(task: Task) -> Index:
    """The index in memory; its scores are exact."""
    import lookalike as la

    made = la.Index.open(":memory:", recipe=recipe(task), threshold=task.threshold, recall=0.99)

    def build(texts: list[str]) -> None:
        made.add(texts, threads=task.threads)

    def query(texts: list[str]) -> list[list[Any]]:
        return [hits.ids for hits in made.query(texts, threads=task.threads)]

    return Index(build, query)


def version() -> str:
    import lookalike as la

    return la.__version__


if __name__ == "__main__":
    serve("lookalike", version, search=search, sign=sign, index=index)
