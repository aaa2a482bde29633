"""Signatures of whatever can be searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike import checks
from lookalike._native import SignatureMatrix
from lookalike.documents import open_documents
from lookalike.documents.memory import MemorySource
from lookalike.documents.tokens import check_no_text, open_tokens, token_recipe
from lookalike.engine.sign import Signatures, sign_texts
from lookalike.recipe import DEFAULT, settings

if TYPE_CHECKING:
    from lookalike.recipe import Recipe

__all__ = ["sign"]


def sign(
    documents: Any = None,
    recipe: Recipe | None = None,
    *,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the name that it has everywhere
    tokens: Any = None,
    threads: int = 0,
) -> Signatures:
    """Return the signatures of whatever `find` takes; `threads=0` takes all cores. The numbers do not depend on it.

    >>> len(sign(["one two three", "four five six"]))
    2
    >>> sign(tokens=[{"a", "b"}])[0] == sign(tokens=[["b", "a", "b"]])[0]
    True
    """
    if tokens is None:
        recipe = recipe or DEFAULT
        source = open_documents(documents, text=text, id=id)
    else:
        check_no_text(text)
        recipe = token_recipe(recipe)
        source = open_tokens(documents, tokens, id, ordered=recipe.k > 1)
    if isinstance(source, MemorySource):  # texts that are held already are not packed first
        return sign_texts(source.texts, recipe, threads=threads)
    core, threads = settings(recipe), checks.threads(threads)
    signed = bytearray()
    for batch in source.batches():
        signed += SignatureMatrix.of_texts([batch.texts.packed()], core, threads).to_bytes()
    return Signatures(SignatureMatrix.of_bytes(bytes(signed), recipe.hashes), recipe)
