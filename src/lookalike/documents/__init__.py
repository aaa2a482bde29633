"""Where documents come from: what a person gives, as ids and texts."""

from lookalike.documents.combined_source import Both, Kept, LongEnough, WithoutShortOnlineTexts
from lookalike.documents.document_batches import Batch, Extracted, Flag, Size, Skipped
from lookalike.documents.document_source import Source
from lookalike.documents.open import open_documents
from lookalike.documents.paths import one_name, open_paths
from lookalike.documents.raw_input import LIMITS, Limits
from lookalike.documents.table_columns import NativePart

__all__ = [
    "LIMITS",
    "Batch",
    "Both",
    "Extracted",
    "Flag",
    "Kept",
    "Limits",
    "LongEnough",
    "NativePart",
    "Size",
    "Skipped",
    "Source",
    "WithoutShortOnlineTexts",
    "one_name",
    "open_documents",
    "open_paths",
]
