"""lookalike finds near-duplicate documents: which ones, how similar they are, and which passages they share.

>>> import lookalike as la
>>> la.jaccard({0, 1, 2, 5, 6}, {0, 2, 3, 4, 5, 7, 9})
0.3333333333333333
>>> found = la.compare("The quick brown fox jumps over the lazy dog.", "A quick brown fox jumps over the lazy dog!")
>>> round(found.jaccard, 2)
0.67
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lookalike._native import build_info as _build_info

if TYPE_CHECKING:
    from lookalike.client import Client
    from lookalike.documents import Flag, Limits, Skipped, Source, open_documents, open_paths
    from lookalike.documents.metadata import Metadata, read_metadata
    from lookalike.engine.bands import Bands, band_keys, candidates, choose_bands, s_curve
    from lookalike.engine.groups import Group, groups
    from lookalike.engine.sign import Signatures, sign_sets
    from lookalike.errors import (
        BandsError,
        ConflictError,
        DamagedError,
        DocumentError,
        DuplicateIdError,
        InternalError,
        LookalikeError,
        MismatchError,
        MissingExtraError,
        RecipeError,
        ServerError,
        StoreError,
    )
    from lookalike.index import Check, Decision, Ensured, Hit, Hits, Index
    from lookalike.presets import PRESETS, Preset, Recipe
    from lookalike.report.side_files import Marks, read_marks
    from lookalike.result import Recall, Result
    from lookalike.result.audit import Audit
    from lookalike.result.from_texts import SourceMatch, Sources
    from lookalike.result.plan import KeepRule, Plan
    from lookalike.search.advise import Advice, advise
    from lookalike.search.deduplicate import drop_near_duplicates, drop_repeated_parts, drop_repeated_passages
    from lookalike.search.derived import Cost, estimate_cost, sources
    from lookalike.search.find import find
    from lookalike.search.intake import sign
    from lookalike.search.repeats import Cuts
    from lookalike.search.shards import find_shards, sign_shard
    from lookalike.text.comparison import Comparison, Passage, compare, passages
    from lookalike.text.excluded import Span
    from lookalike.text.measures import (
        CharacteristicMatrix,
        Shingle,
        bag_jaccard,
        bag_jaccard_report,
        characteristic_matrix,
        containment,
        cosine,
        euclidean,
        jaccard,
        jaccard_distance,
        normalize,
        shingles,
        standard_error,
        units,
    )

__version__: str = _build_info()["version"]

__all__ = [
    "PRESETS",
    "Advice",
    "Audit",
    "Bands",
    "BandsError",
    "CharacteristicMatrix",
    "Check",
    "Client",
    "Comparison",
    "ConflictError",
    "Cost",
    "Cuts",
    "DamagedError",
    "Decision",
    "DocumentError",
    "DuplicateIdError",
    "Ensured",
    "Flag",
    "Group",
    "Hit",
    "Hits",
    "Index",
    "InternalError",
    "KeepRule",
    "Limits",
    "LookalikeError",
    "Marks",
    "Metadata",
    "MismatchError",
    "MissingExtraError",
    "Passage",
    "Plan",
    "Preset",
    "Recall",
    "Recipe",
    "RecipeError",
    "Result",
    "ServerError",
    "Shingle",
    "Signatures",
    "Skipped",
    "Source",
    "SourceMatch",
    "Sources",
    "Span",
    "StoreError",
    "advise",
    "bag_jaccard",
    "bag_jaccard_report",
    "band_keys",
    "candidates",
    "characteristic_matrix",
    "choose_bands",
    "compare",
    "containment",
    "cosine",
    "drop_near_duplicates",
    "drop_repeated_parts",
    "drop_repeated_passages",
    "estimate_cost",
    "euclidean",
    "find",
    "find_shards",
    "groups",
    "jaccard",
    "jaccard_distance",
    "normalize",
    "open_documents",
    "open_paths",
    "passages",
    "read_marks",
    "read_metadata",
    "s_curve",
    "shingles",
    "sign",
    "sign_sets",
    "sign_shard",
    "sources",
    "standard_error",
    "units",
]

# A name loads its module when it is first asked for, so that a command loads only what it uses.
_HOMES = {
    "lookalike.client": ("Client",),
    "lookalike.documents": (
        "Flag",
        "Limits",
        "Skipped",
        "Source",
        "open_documents",
        "open_paths",
    ),
    "lookalike.documents.metadata": (
        "Metadata",
        "read_metadata",
    ),
    "lookalike.engine.bands": (
        "Bands",
        "band_keys",
        "candidates",
        "choose_bands",
        "s_curve",
    ),
    "lookalike.engine.groups": (
        "Group",
        "groups",
    ),
    "lookalike.engine.sign": (
        "Signatures",
        "sign_sets",
    ),
    "lookalike.errors": (
        "BandsError",
        "ConflictError",
        "DamagedError",
        "DocumentError",
        "DuplicateIdError",
        "InternalError",
        "LookalikeError",
        "MismatchError",
        "MissingExtraError",
        "RecipeError",
        "ServerError",
        "StoreError",
    ),
    "lookalike.index": (
        "Check",
        "Decision",
        "Ensured",
        "Hit",
        "Hits",
        "Index",
    ),
    "lookalike.presets": (
        "PRESETS",
        "Preset",
        "Recipe",  # from here, so that Recipe.preset knows the presets
    ),
    "lookalike.report.side_files": (
        "Marks",
        "read_marks",
    ),
    "lookalike.result": (
        "Recall",
        "Result",
    ),
    "lookalike.result.audit": ("Audit",),
    "lookalike.result.from_texts": (
        "SourceMatch",
        "Sources",
    ),
    "lookalike.result.plan": (
        "KeepRule",
        "Plan",
    ),
    "lookalike.search.advise": (
        "Advice",
        "advise",
    ),
    "lookalike.search.deduplicate": (
        "drop_near_duplicates",
        "drop_repeated_parts",
        "drop_repeated_passages",
    ),
    "lookalike.search.derived": (
        "Cost",
        "estimate_cost",
        "sources",
    ),
    "lookalike.search.find": ("find",),
    "lookalike.search.intake": ("sign",),
    "lookalike.search.repeats": ("Cuts",),
    "lookalike.search.shards": (
        "find_shards",
        "sign_shard",
    ),
    "lookalike.text.comparison": (
        "Comparison",
        "Passage",
        "compare",
        "passages",
    ),
    "lookalike.text.excluded": ("Span",),
    "lookalike.text.measures": (
        "CharacteristicMatrix",
        "Shingle",
        "bag_jaccard",
        "bag_jaccard_report",
        "characteristic_matrix",
        "containment",
        "cosine",
        "euclidean",
        "jaccard",
        "jaccard_distance",
        "normalize",
        "shingles",
        "standard_error",
        "units",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
