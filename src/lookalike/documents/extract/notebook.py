"""Notebooks of Jupyter: the cells in their order, as a script; outputs, counters and metadata are no part of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

from lookalike.documents.extract.model import RefusedError
from lookalike.documents.extract.plain import read_marked
from lookalike.documents.extract.writing import finished

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.documents.extract.model import Extracted

__all__ = ["notebook_to_text", "read_notebook"]


def read_notebook(file: BinaryIO, encoding: str) -> Extracted:
    """Read a notebook."""
    return read_marked(file, encoding, notebook_to_text)


def notebook_to_text(source: str) -> Extracted:
    r"""Return the cells of a notebook, with an empty line between two; what is no code is a comment, as in a script.

    >>> cells = [{"cell_type": "markdown", "source": ["# Title\n", "text"]}, {"cell_type": "code", "source": "x = 1"}]
    >>> notebook_to_text(json.dumps({"nbformat": 4, "cells": cells})).text
    '# # Title\n# text\n\nx = 1'
    """
    try:
        notebook = json.loads(source)
    except json.JSONDecodeError as error:
        raise RefusedError("damaged", f"it is no notebook: line {error.lineno} is not JSON") from None
    texts = (text for cell in _cells(notebook) if (text := _text(cell).strip("\n")).strip())
    return finished("\n\n".join(texts))


def _cells(notebook: Any) -> Iterator[dict[str, Any]]:
    """Give the cells; before version 4 they were in worksheets."""
    if not isinstance(notebook, dict) or not ({"cells", "worksheets"} & notebook.keys()):
        raise RefusedError("damaged", "it is no notebook: it has no cells")
    for sheet in [notebook, *_list(notebook.get("worksheets"))]:
        if isinstance(sheet, dict):
            yield from (cell for cell in _list(sheet.get("cells")) if isinstance(cell, dict))


def _text(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    text = source if isinstance(source, str) else "".join(line for line in _list(source) if isinstance(line, str))
    if cell.get("cell_type") == "code":
        return text
    return "\n".join(f"# {line}".rstrip() for line in text.strip().splitlines())


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
