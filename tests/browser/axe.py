"""What a screen reader or a weak eye would complain about, by the rules of axe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import axe_playwright_python  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["violations"]

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    """Return what axe has against the page, by the rules of WCAG 2.2 AA and good practice."""
    page.evaluate(AXE)
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found: dict[str, Any] = page.evaluate(
        "rules => axe.run(document, { runOnly: rules, rules: { 'target-size': { enabled: true } } })", rules
    )
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"][:3]
    ]
