"""What a search found: pairs with exact scores, groups, a removal plan; saved, re-read, and written in other forms."""

from lookalike.result.result import Result
from lookalike.result.view import Recall

__all__ = ["Recall", "Result"]
