"""Web pages and mails: their visible text, without navigation and scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lookalike.documents.document_batches import Extracted, Flag, RefusedError
from lookalike.documents.extract.archives import Budget, Member
from lookalike.documents.extract.clean_text import TextWriter, decoded, finished
from lookalike.documents.extract.visual_order import OVERRIDE_END, OVERRIDE_LEFT, OVERRIDE_RIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from email.message import EmailMessage

__all__ = ["Mail", "html_to_text", "read_eml", "read_html", "read_mail"]


# -- web pages ---------------------------------------------------------------------------------------------------------

# Never text of the page, whatever is in it.
_MACHINE: Final = frozenset(
    {"script", "style", "template", "noscript", "head", "iframe", "object", "svg", "canvas", "select", "audio", "video"}
)
# Text, but of the site and not of the page.
_FRAME: Final = frozenset({"nav", "header", "footer", "aside", "menu", "button", "dialog"})
_FRAME_ROLES: Final = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar"})
_PARAGRAPH: Final = frozenset(
    (
        *("address", "article", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt"),
        *("fieldset", "figcaption", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "legend", "li", "main"),
        *("ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul"),
    )
)
_CELLS: Final = frozenset({"td", "th"})
_VOID: Final = frozenset(
    (
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track"),
        "wbr",
    )
)

_HIDING: Final = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0?\.?0+\s*(?:;|!|$)|"
    r"font-size\s*:\s*(?:0|0?\.\d+|1)(?:px|pt|em|rem|%)?\s*(?:;|!|$)",
    re.IGNORECASE,
)
_WHITE: Final = re.compile(
    r"(?:^|[;\s])color\s*:\s*(?:white|#fff(?:fff)?|rgb\(\s*255\s*,\s*255\s*,\s*255\s*\))\s*(?:;|!|$)", re.IGNORECASE
)
_BACKGROUND: Final = re.compile(r"background(?:-color|-image)?\s*:", re.IGNORECASE)
_RULE: Final = re.compile(r"(?<![^{}@;])([^{}@;]++)\{([^{}]{0,2000}+)\}")
_BLOCK_MARK: Final = re.compile("[{};]")
_SIMPLE: Final = re.compile(r"^[\w-]*([.#][\w-]+)$")
_CHARSET: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_SPACE: Final = re.compile(r"\s+")
_LONGEST_STYLE: Final = 1 << 20
_OVERRIDES: Final = {"rtl": "\u2067" + OVERRIDE_LEFT, "ltr": "\u2066" + OVERRIDE_RIGHT}
"""What the element ``bdo`` is in a text without mark-up, by its attribute ``dir``: isolated from the rest."""
_OVERRIDES_END: Final = OVERRIDE_END + "\u2069"
_DEEPEST: Final = 10_000
"""Elements in elements; real pages have dozens, and careless ones, which never close any, hundreds."""


def read_html(file: BinaryIO, encoding: str) -> Extracted:
    """Read a page; its encoding is given, in its byte order mark, in its ``meta`` element, UTF-8, or guessed."""
    data = file.read()
    text, spoken, guessed = decoded(data, encoding, _declared(data))
    page = html_to_text(text)
    return Extracted(page.text, page.flags, spoken, guessed)


def _declared(data: bytes) -> str | None:
    found = _CHARSET.search(data[:4096])
    return found[1].decode("ascii") if found else None


def html_to_text(page: str) -> Extracted:
    """Return the text of a page.

    >>> html_to_text("<nav>Home</nav><p>One <b>two</b><p style='display:none'>copied").text
    'One two'
    """
    return finished(*html_pieces(page))


def html_pieces(page: str) -> tuple[str, str]:
    """Return what a page shows and what it hides, as it is stored: for texts that a page is a part of."""
    reading = _parse(page)
    written = reading.writer
    if written.is_empty and not reading.frame.is_empty:
        written = reading.frame  # a page that is all header is read anyway
    return written.text, reading.writer.hidden


def _parse(page: str) -> _Page:
    from lxml import etree

    reading = _Page()
    options: dict[str, Any] = {"encoding": "utf-8", "no_network": True, "huge_tree": True, "recover": True}
    parser = etree.HTMLParser(target=reading, **options)
    try:
        parser.feed(page.encode("utf-8", "replace"))
        parser.close()
    except etree.LxmlError as error:
        if not isinstance(error, etree.XMLSyntaxError):
            raise RefusedError("damaged", f"it is not HTML ({str(error)[:80]})") from None
    return reading


class _Page:
    """Takes the events of the parser, and keeps for each open element what it changes."""

    def __init__(self) -> None:
        self.writer = TextWriter()
        self.frame = TextWriter()
        self._open: list[tuple[str, int, int, int, int, bool]] = []
        # How many open elements are for machines, frame the page, hide, or keep white space; and a background.
        self._machine = self._framing = self._hiding = self._pre = 0
        self._background = False
        self._style: list[str] = []
        self._style_size = 0
        self._hidden_names: frozenset[str] = frozenset()
        self._overrides: list[str] = []
        self._quotes, self._at_start = 0, True  # open block quotes; whether a paragraph begins

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in _VOID:
            self._void(tag)
            return
        if tag in _PARAGRAPH:
            self._break(2)
        elif tag in _CELLS:
            self._write(" ")
        elif tag == "bdo":
            self._overrides.append(_OVERRIDES.get(attributes.get("dir", "").lower(), ""))
            self._write(self._overrides[-1])
        if len(self._open) >= _DEEPEST:
            raise RefusedError("damaged", f"its elements are nested more than {_DEEPEST:,} deep")
        self._open.append((tag, self._machine, self._framing, self._hiding, self._pre, self._background))
        self._quotes += tag == "blockquote"
        self._machine += tag in _MACHINE
        self._framing += tag in _FRAME or attributes.get("role", "") in _FRAME_ROLES
        self._pre += tag in ("pre", "textarea")
        if attributes:
            self._hiding += self._hides(attributes)

    def _hides(self, attributes: Mapping[str, str]) -> bool:
        style = attributes.get("style", "")[:10_000]
        if "bgcolor" in attributes or _BACKGROUND.search(style):
            self._background = True
        if "hidden" in attributes and attributes["hidden"] != "until-found":
            return True
        if style and (_HIDING.search(style) or (_WHITE.search(style) and not self._background)):
            return True
        if not self._hidden_names:
            return False
        names = {f".{name}" for name in attributes.get("class", "").split()}
        return bool(self._hidden_names & (names | {"#" + attributes.get("id", "")}))

    def _void(self, tag: str) -> None:
        if tag == "br":  # controls end with their line, and elements do not
            self._write(_OVERRIDES_END * sum(map(bool, self._overrides)))
            self._break(1)
            self._write("".join(self._overrides))
        elif tag == "hr":
            self._break(2)

    def end(self, tag: str) -> None:
        if tag in _VOID:
            return
        if tag == "style":
            self._hidden_names |= _hidden_names("".join(self._style))
            self._style.clear()
        if self._open and self._open[-1][0] == tag:
            _, self._machine, self._framing, self._hiding, self._pre, self._background = self._open.pop()
        if tag == "blockquote":
            self._quotes = max(0, self._quotes - 1)
        if tag in _PARAGRAPH:
            self._break(2)
        elif tag == "bdo" and self._overrides and self._overrides.pop():
            self._write(_OVERRIDES_END)

    def data(self, text: str) -> None:
        if self._machine:
            if self._open and self._open[-1][0] == "style" and self._style_size < _LONGEST_STYLE:
                self._style.append(text)
                self._style_size += len(text)
            return
        if self._at_start and text.strip():
            self._at_start = False
            if self._quotes and not self._hiding:
                self._write("> ")  # as in Markdown, so that a block quote is still seen to be one
        self._write(text if self._pre else _SPACE.sub(" ", text))

    def _write(self, text: str) -> None:
        if self._machine:
            return
        if self._hiding:
            self.writer.add(text, hidden=True)
        else:
            (self.frame if self._framing else self.writer).add(text)

    def _break(self, lines: int) -> None:
        self._at_start = True
        self._write("\n" * lines)

    def close(self) -> None:
        """End of the page."""


def _hidden_names(style: str) -> frozenset[str]:
    """Return the classes and ids that a style sheet hides: simple rules only, and none for paper or small screens.

    >>> sorted(_hidden_names(".a, p#b {display: none} div .c {display:none} @media print {.d {display:none}}"))
    ['#b', '.a']
    """
    names: set[str] = set()
    for selectors, body in _RULE.findall(_without_media(style)):
        if _HIDING.search(body):
            names |= {found[1] for one in selectors.split(",") if (found := _SIMPLE.match(one.strip()))}
    return frozenset(names)


def _without_media(style: str) -> str:
    """Return a style sheet without its blocks for certain media."""
    pieces: list[str] = []
    start = 0
    while (at := style.find("@", start)) >= 0:
        pieces.append(style[start:at])
        start = _after_block(style, at)
    return "".join((*pieces, style[start:]))


def _after_block(style: str, at: int) -> int:
    depth = 0
    for found in _BLOCK_MARK.finditer(style, at):
        mark = found[0]
        depth += (mark == "{") - (mark == "}")
        if depth <= 0 and mark != "{":
            return found.end()
    return len(style)


# -- mails -------------------------------------------------------------------------------------------------------------

_SHOWN: Final = 5
_MOST_ATTACHED: Final = 1000
_MEDIA: Final = ("image", "audio", "video")
"""Parts that have no text: signatures are full of pictures, so they are named and not counted as unread."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail that was read."""

    found: Extracted
    attached: list[EmailMessage]

    def members(self, budget: Budget) -> Iterator[Member]:
        """Yield what is attached, as an archive gives its members."""
        for number, part in enumerate(self.attached[:_MOST_ATTACHED], 1):
            payload = part.get_payload()
            size = len(payload) * 3 // 4 if isinstance(payload, str) else budget.packed
            yield Member(_name(part, number), size, None, _opener(part, budget))
        if len(self.attached) > _MOST_ATTACHED:
            raise RefusedError("too large", f"it has more than {_MOST_ATTACHED:,} attachments; the rest is skipped")


def read_eml(file: BinaryIO, encoding: str) -> Extracted:
    """Read a mail without what is attached to it."""
    return read_mail(file, encoding).found


def read_mail(file: BinaryIO, encoding: str) -> Mail:
    """Read a mail."""
    try:
        return _mail(file, encoding)
    except (RefusedError, MemoryError):
        raise
    except RecursionError:
        raise RefusedError("damaged", "its parts are nested too deeply") from None
    except Exception as error:  # noqa: BLE001 - whatever the parser meets in a broken mail
        what = " ".join(str(error).split())[:80]
        raise RefusedError("damaged", f"it cannot be read ({type(error).__name__}: {what})") from None


def _mail(file: BinaryIO, encoding: str) -> Mail:
    from email import message_from_binary_file, policy
    from email.message import EmailMessage

    message = message_from_binary_file(file, policy=policy.default)
    if not message.keys():
        raise RefusedError("damaged", "it is not a mail: it has no headers")
    body = message.get_body(preferencelist=("plain", "html"))
    flags: tuple[Flag, ...] = ()
    text, hidden = _mail_body(body, encoding) if isinstance(body, EmailMessage) else ("", "")
    subject = str(message.get("subject", "")).strip()
    attached = list(message.iter_attachments())
    names = [_name(part, 0) for part in attached if part.get_content_maintype() in _MEDIA]
    if names:
        more = " …" if len(names) > _SHOWN else ""
        flags = (Flag("attachments", "not read: " + ", ".join(names[:_SHOWN]) + more, len(names)),)
    whole = finished(f"{subject}\n\n{text}".strip(), hidden, flags)
    read = [part for part in attached if part.get_content_maintype() not in _MEDIA]
    return Mail(Extracted(whole.text, whole.flags), read)


def _name(part: EmailMessage, number: int) -> str:
    """Return the name of an attachment, made up if it has none; a mail that was forwarded ends like a mail."""
    name = str(part.get_filename() or "").replace("/", "_").replace("\\", "_").strip()
    ending = {"message/rfc822": ".eml", "text/plain": ".txt", "text/html": ".html"}.get(part.get_content_type(), "")
    name = name or (f"attachment {number}{ending}" if number else part.get_content_type())
    return f"{name}.eml" if ending == ".eml" and not name.lower().endswith(".eml") else name


def _opener(part: EmailMessage, budget: Budget) -> Callable[[], BinaryIO]:
    def unpack() -> BinaryIO:
        try:
            if part.get_content_type() == "message/rfc822":
                inner = part.get_payload()
                first = inner[0] if isinstance(inner, list) and inner else ""
                data = b"" if isinstance(first, str) else bytes(first.as_bytes())
            else:
                payload = part.get_payload(decode=True)
                data = payload if isinstance(payload, bytes) else b""
        except (RecursionError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise RefusedError("damaged", f"it cannot be unpacked ({str(error)[:80]})") from None
        budget.take(len(data))
        return BytesIO(data)

    return unpack


def _mail_body(part: EmailMessage, encoding: str) -> tuple[str, str]:
    """Return what the body shows, and what it hides."""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    declared = part.get_content_charset()
    if part.get_content_subtype() != "html":
        return decoded(data, encoding, declared)[0].replace("\r\n", "\n"), ""
    return html_pieces(decoded(data, encoding, declared or _declared(data))[0])
