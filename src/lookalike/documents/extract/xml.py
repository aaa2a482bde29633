"""XML as a stream of events: no tree, no entities, no network; nothing that a document can blow up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.extract.model import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Handler", "local", "parse_xml"]

_ENTITY: Final = tuple("<!ENTITY".encode(codec) for codec in ("ascii", "utf-16-le", "utf-16-be"))
_DEEPEST: Final = 1000


class Handler:
    """What happens at each event; names are without their namespace."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take the begin of an element."""

    def end(self, name: str) -> None:
        """Take the end of an element."""

    def data(self, text: str) -> None:
        """Take some text."""


def local(name: str) -> str:
    """Return a name without its namespace.

    >>> local("{http://www.w3.org/1999/xhtml}p")
    'p'
    """
    return name.rpartition("}")[2]


def _attribute(name: str) -> str:
    """Return a name without its namespace, but tell the `id` of a thing from that of a relation to another part."""
    return f"r:{local(name)}" if "/relationships}" in name else local(name)


class _Target:
    """Hands events of lxml on."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._depth = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise RefusedError("damaged", f"its elements are nested more than {_DEEPEST} deep")
        self._handler.start(local(tag), {_attribute(name): value for name, value in attributes.items()})

    def end(self, tag: str) -> None:
        self._depth -= 1
        self._handler.end(local(tag))

    def data(self, text: str) -> None:
        self._handler.data(text)

    def close(self) -> None:
        """End of the document."""


def parse_xml(blocks: Iterable[bytes], handler: Handler, name: str) -> None:
    """Give all events of a part to a handler; `name` is for messages."""
    from lxml import etree

    options: dict[str, Any] = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": True}
    parser = etree.XMLParser(target=_Target(handler), **options)
    try:
        last = b""
        for block in blocks:
            # Real documents declare no entities; each may stand for a billion others.
            if any(mark in last + block for mark in _ENTITY):
                raise RefusedError("damaged", f"{name} declares entities, as documents made to do harm do")
            last = block[-32:]
            parser.feed(block)
        parser.close()
    except etree.LxmlError as error:
        raise RefusedError("damaged", f"{name} is not well-formed ({str(error)[:80]})") from None
