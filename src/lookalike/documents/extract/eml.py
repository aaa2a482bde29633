"""Mails: the subject and the text, a plain form before an HTML one; what is attached is read like an archive."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.extract.archives import Budget, Member
from lookalike.documents.extract.html import html_to_text, read_html
from lookalike.documents.extract.model import Extracted, Flag, RefusedError
from lookalike.documents.extract.plain import decoded
from lookalike.documents.extract.writing import finished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from email.message import EmailMessage

__all__ = ["Mail", "read_eml", "read_mail"]

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
        """Give what is attached, as an archive gives its members."""
        for number, part in enumerate(self.attached[:_MOST_ATTACHED], 1):
            payload = part.get_payload()
            size = len(payload) * 3 // 4 if isinstance(payload, str) else budget.packed
            yield Member(_name(part, number), size, None, _opener(part, budget))
        if len(self.attached) > _MOST_ATTACHED:
            raise RefusedError("too large", f"it has more than {_MOST_ATTACHED:,} attachments; the rest is left out")


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
        raise RefusedError("damaged", "its parts are nested too deep") from None
    except Exception as error:  # noqa: BLE001 - whatever the parser meets in a broken mail
        what = " ".join(str(error).split())[:80]
        raise RefusedError("damaged", f"it cannot be read ({type(error).__name__}: {what})") from None


def _mail(file: BinaryIO, encoding: str) -> Mail:
    from email import message_from_binary_file, policy
    from email.message import EmailMessage

    message = message_from_binary_file(file, policy=policy.default)
    if not message.keys():
        raise RefusedError("damaged", "it is no mail: it has no headers")
    body = message.get_body(preferencelist=("plain", "html"))
    flags: tuple[Flag, ...] = ()
    text = ""
    if isinstance(body, EmailMessage):
        found = _body(body, encoding)
        text, flags = found.text, tuple(flag for flag in found.flags if flag.kind == "hidden text")
    subject = str(message.get("subject", "")).strip()
    attached = list(message.iter_attachments())
    names = [_name(part, 0) for part in attached if part.get_content_maintype() in _MEDIA]
    if names:
        more = " …" if len(names) > _SHOWN else ""
        flags += (Flag("attachments", "not read: " + ", ".join(names[:_SHOWN]) + more, len(names)),)
    whole = finished(f"{subject}\n\n{text}".strip(), flags=flags)
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


def _body(part: EmailMessage, encoding: str) -> Extracted:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    declared = part.get_content_charset()
    if part.get_content_subtype() != "html":
        return Extracted(decoded(data, encoding, declared)[0].replace("\r\n", "\n"))
    if declared is None:
        return read_html(BytesIO(data), encoding)
    return html_to_text(decoded(data, encoding, declared)[0])
