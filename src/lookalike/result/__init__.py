"""What a search found: pairs with exact scores, groups, a removal plan; saved, re-read, and written in other forms."""

from lookalike.result.recall import Recall
from lookalike.result.result import Result

__all__ = ["Recall", "Result"]
