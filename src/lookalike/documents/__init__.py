"""Where documents come from: what a person gives, as ids and texts."""

from lookalike.documents.extract.model import Extracted, Flag
from lookalike.documents.gather import Collection, Documents, gather
from lookalike.documents.kept import Both, Kept, LongEnough
from lookalike.documents.limits import LIMITS, Limits
from lookalike.documents.model import Batch, Size, Skipped
from lookalike.documents.native import NativePart
from lookalike.documents.open import one_name, open_documents, open_paths
from lookalike.documents.source import Source

__all__ = [
    "LIMITS",
    "Batch",
    "Both",
    "Collection",
    "Documents",
    "Extracted",
    "Flag",
    "Kept",
    "Limits",
    "LongEnough",
    "NativePart",
    "Size",
    "Skipped",
    "Source",
    "gather",
    "one_name",
    "open_documents",
    "open_paths",
]
