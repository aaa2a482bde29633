"""Where documents come from: what a person gives, as ids and texts."""

from lookalike.documents.gather import Collection, Documents, gather

__all__ = ["Collection", "Documents", "gather"]
