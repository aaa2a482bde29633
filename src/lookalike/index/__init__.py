"""Documents that stay: add, query, remove; nothing acknowledged is lost."""

from lookalike.index.contract import Check
from lookalike.index.hits import Hit, Hits
from lookalike.index.index import Ensured, Index

__all__ = ["Check", "Ensured", "Hit", "Hits", "Index"]
