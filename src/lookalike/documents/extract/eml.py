"""Mails: the subject and the text; a plain form is taken before an HTML one."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from lookalike.documents.extract.html import html_to_text, read_html
from lookalike.documents.extract.model import Extracted, Flag, RefusedError
from lookalike.documents.extract.plain import decoded
from lookalike.documents.extract.writing import finished

if TYPE_CHECKING:
    from email.message import EmailMessage

__all__ = ["read_eml"]

_SHOWN = 5


def read_eml(file: BinaryIO, encoding: str) -> Extracted:
    """Read a mail."""
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
    names = [part.get_filename() or part.get_content_type() for part in message.iter_attachments()]
    if names:
        more = " …" if len(names) > _SHOWN else ""
        flags += (Flag("attachments", "not read: " + ", ".join(names[:_SHOWN]) + more, len(names)),)
    whole = finished(f"{subject}\n\n{text}".strip(), flags=flags)
    return Extracted(whole.text, whole.flags)


def _body(part: EmailMessage, encoding: str) -> Extracted:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    declared = part.get_content_charset()
    if part.get_content_subtype() != "html":
        return Extracted(decoded(data, encoding, declared)[0].replace("\r\n", "\n"))
    if declared is None:
        from io import BytesIO

        return read_html(BytesIO(data), encoding)
    return html_to_text(decoded(data, encoding, declared)[0])
