"""lookalike finds documents that look alike: copies and near-copies, how alike they are, and which passages they share.

>>> import lookalike as la
>>> la.jaccard({0, 1, 2, 5, 6}, {0, 2, 3, 4, 5, 7, 9})
0.3333333333333333
>>> found = la.compare("The quick brown fox jumps over the lazy dog.", "A quick brown fox jumps over the lazy dog!")
>>> round(found.jaccard, 2)
0.67
"""

from lookalike._native import build_info as _build_info
from lookalike.documents import Flag, Skipped, Source, open_documents, open_paths
from lookalike.documents.metadata import Metadata, read_metadata
from lookalike.engine.bands import Bands, choose_bands, s_curve
from lookalike.engine.candidates import band_keys, candidates
from lookalike.engine.groups import Group, groups
from lookalike.engine.sign import Signatures, sign_sets
from lookalike.errors import (
    BandsError,
    DocumentError,
    DuplicateIdError,
    InternalError,
    LookalikeError,
    MismatchError,
    MissingExtraError,
    RecipeError,
)
from lookalike.presets import PRESETS, Preset
from lookalike.recipe import Recipe
from lookalike.report.marks import Marks, read_marks
from lookalike.result import Recall, Result
from lookalike.result.audit import Audit
from lookalike.result.keep import KeepRule
from lookalike.result.plan import Plan
from lookalike.search.cost import Cost, estimate_cost
from lookalike.search.drop import drop_near_duplicates
from lookalike.search.find import find
from lookalike.search.sign import sign
from lookalike.text.compare import Comparison, compare
from lookalike.text.excluded import Span
from lookalike.text.matrix import CharacteristicMatrix, characteristic_matrix
from lookalike.text.measures import (
    bag_jaccard,
    bag_jaccard_report,
    containment,
    cosine,
    euclidean,
    jaccard,
    jaccard_distance,
    standard_error,
)
from lookalike.text.passages import Passage, passages
from lookalike.text.shingles import Shingle, normalize, shingles, units

__version__: str = _build_info()["version"]

__all__ = [
    "PRESETS",
    "Audit",
    "Bands",
    "BandsError",
    "CharacteristicMatrix",
    "Comparison",
    "Cost",
    "DocumentError",
    "DuplicateIdError",
    "Flag",
    "Group",
    "InternalError",
    "KeepRule",
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
    "Shingle",
    "Signatures",
    "Skipped",
    "Source",
    "Span",
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
    "estimate_cost",
    "euclidean",
    "find",
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
    "standard_error",
    "units",
]
