"""How the parts of an Office Open XML file hang together."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from lookalike.documents.extract.xml import Handler, parse_xml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lookalike.documents.extract.package import Package

__all__ = ["main_part", "relations_of"]


class _Relations(Handler):
    def __init__(self, folder: str) -> None:
        self.found: dict[str, tuple[str, str]] = {}
        self._folder = folder

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship" and attributes.get("TargetMode") != "External":
            target = attributes.get("Target", "")
            inside = target.lstrip("/") if target.startswith("/") else posixpath.join(self._folder, target)
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.found[attributes.get("Id", "")] = (kind, posixpath.normpath(inside))


def relations_of(package: Package, part: str) -> dict[str, tuple[str, str]]:
    """Return kind and name of all parts that a part refers to, by the id of the reference."""
    folder, name = posixpath.split(part)
    listed = posixpath.join(folder, "_rels", f"{name}.rels")
    relations = _Relations(folder)
    if listed in package:
        parse_xml(package.blocks(listed), relations, listed)
    return relations.found


def main_part(package: Package, usual: str) -> str:
    """Return the name of the part with the document itself."""
    found = relations_of(package, "")
    return next((target for kind, target in found.values() if kind == "officeDocument"), usual)
