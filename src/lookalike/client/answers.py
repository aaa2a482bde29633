"""What a server answers, as the values that `la.Index` gives."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lookalike.client.problems import not_lookalike
from lookalike.engine.bands import Bands
from lookalike.engine.groups import Group
from lookalike.errors import ServerError
from lookalike.index.index_settings import IndexSettings
from lookalike.index.query import Hit, Hits
from lookalike.recipe import Recipe
from lookalike.tables.found import COLUMNS
from lookalike.tables.packed import Ids
from lookalike.text.compare import Comparison
from lookalike.text.passages import Passage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.tables.packed import Id

__all__ = ["comparison_of", "group_of", "hits_of", "pairs_table", "results_of", "settings_of", "understood"]

_SCORES = ("jaccard", "containment_query", "containment_document", "standard_error")


@contextmanager
def understood(url: str) -> Iterator[None]:
    """Make one error of all that can be wrong with an answer: a field is missing, or is something else."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise not_lookalike(url, 200) from error


def hits_of(found: dict[str, Any], query: Id | None) -> Hits:
    """Return the hits of one document."""
    hits = [Hit(hit["id"], *(hit.get(name) for name in _SCORES)) for hit in found["hits"]]
    return Hits(hits, query=query, truncated=bool(found["truncated"]))


def results_of(found: dict[str, Any], ids: Sequence[Id]) -> list[Hits]:
    """Return the hits of each document of a batch."""
    return [hits_of(one, id) for one, id in zip(found["results"], ids, strict=True)]


def group_of(found: dict[str, Any], members: Sequence[Id], url: str) -> Group:
    """Return a group, whose members may have come in several answers."""
    if len(members) != found["size"]:
        raise ServerError(url, "changed while a group was read", "ask again", 200)
    return Group(found["principal"], tuple(members))


def pairs_table(pairs: Sequence[dict[str, Any]]) -> pa.Table:
    """Return pairs as `Index.pairs` does."""
    import pyarrow as pa

    columns: dict[str, Any] = {name: Ids.of([pair[name] for pair in pairs]).to_arrow() for name in COLUMNS[:2]}
    for name in COLUMNS[2:]:
        scores = [pair.get(name) for pair in pairs]
        if not pairs or scores[0] is not None:  # where only signatures are kept, there is no containment
            columns[name] = pa.array(scores, pa.float64())
    return pa.table(columns)


def comparison_of(found: dict[str, Any]) -> Comparison:
    """Return the comparison of two texts."""
    places = ("a_start", "a_end", "b_start", "b_end", "units")
    names = (
        *("jaccard", "containment_a", "containment_b", "estimate", "standard_error"),
        *("shared", "shingles_a", "shingles_b"),
    )
    return Comparison(
        **{name: found[name] for name in names},
        passages=tuple(Passage(*(passage[name] for name in places)) for passage in found["passages"]),
        recipe=Recipe.from_dict(found["recipe"]),
    )


def settings_of(info: dict[str, Any]) -> IndexSettings:
    """Return the settings of the index; of a secret seed nothing is known, so it reads 0."""
    bands = Bands(info["bands"], info["rows"])
    recipe = Recipe.parse(info["recipe"])
    return IndexSettings(recipe, info["threshold"], info["recall"], bands, info["keep"], info["secret"])
