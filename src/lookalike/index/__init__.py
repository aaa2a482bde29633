"""Documents that stay: add, query, remove; nothing acknowledged is lost."""

from lookalike.index.contract import Check
from lookalike.index.document_index import Ensured, Index
from lookalike.index.query import Hit, Hits

__all__ = ["Check", "Ensured", "Hit", "Hits", "Index"]
