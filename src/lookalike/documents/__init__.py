"""Where documents come from: what a person gives, as ids and texts."""

from lookalike.documents.extract.model import Extracted, Flag
from lookalike.documents.gather import Collection, Documents, gather
from lookalike.documents.open import open_documents, open_paths
from lookalike.documents.source import Batch, Size, Skipped, Source

__all__ = [
    "Batch",
    "Collection",
    "Documents",
    "Extracted",
    "Flag",
    "Size",
    "Skipped",
    "Source",
    "gather",
    "open_documents",
    "open_paths",
]
