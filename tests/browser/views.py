"""Going from view to view of a report that is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page


def show(page: Page, report: Path, view: str) -> None:
    """Go to another view of an open report, and wait until it is drawn.

    Only the part of the address after `#` changes, so nothing is loaded and `goto` returns before the page has reacted.
    """
    page.goto(f"{report.as_uri()}#{view}")
    page.wait_for_selector(f'html[data-address="#{view}"]')
