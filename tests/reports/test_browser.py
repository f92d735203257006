"""The report in a real browser: readable by everybody, at any width, in both languages, light and dark.

Needs the extra `browser` and a Chromium on the PATH (`CHROMIUM` names another one); without them these tests
are skipped. `SCREENSHOTS` names a folder to keep a picture of each page in.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.contract import load
from harness.results import Verdict
from reports import render_runs
from reports.synthetic import synthetic_run

sync_api = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
WIDTHS = {"phone": 320, "tablet": 834, "desktop": 1440}
# WCAG 2.2 AA and what it builds on, and axe's own best practices.
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("browser") / "report.html"
    contract = load()
    run = synthetic_run(500, contract)
    # Every verdict is there, each with its name: the longest has to fit too.
    for case, verdict in zip(run.cases, Verdict, strict=False):
        case.verdict = verdict
    render_runs([run], output, contract=contract)
    return output


@pytest.fixture
def opened(browser: Any, report: Path) -> Iterator[Any]:
    """Opens the report; every page that it opened is closed at the end."""
    contexts = []

    def open_page(width: int = 1440, scheme: str = "light", scripts: bool = True) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=scripts
        )
        contexts.append(context)
        page = context.new_page()
        page.goto(report.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", WIDTHS)
def test_everybody_can_read_it(opened: Any, width: str, language: str, scheme: str) -> None:
    page = opened(WIDTHS[width], scheme)
    page.locator(f"label[for=lang-{language}]").click()
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"report-{width}-{language}-{scheme}.png")

    found = axe.Axe().run(page, options={"runOnly": STANDARDS}).response["violations"]

    assert [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}" for one in found] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_never_scrolls_sideways(opened: Any, width: str) -> None:
    page = opened(WIDTHS[width])
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_without_scripts_the_language_is_switched_by_the_keyboard(opened: Any) -> None:
    page = opened(scripts=False)
    title = page.locator("h1 span:visible")
    english = title.inner_text()
    page.locator("#lang-en").focus()
    page.keyboard.press("ArrowRight")
    assert title.inner_text() != english


def test_without_scripts_the_filters_hide_what_is_good(opened: Any) -> None:
    page = opened(scripts=False)
    page.locator("label[for=show-bad]").click()
    shown = page.locator("#functions tr[id]:visible")
    assert shown.count() == page.locator("#functions tr.has-bad").count() > 0


def test_the_search_finds_a_function(opened: Any) -> None:
    page = opened()
    name = page.locator("#functions .fn h4").last.text_content()
    page.locator("#search-place input").fill(name)
    page.wait_for_timeout(300)
    assert page.locator("#functions .fn:visible h4").all_text_contents() == [name]


def test_a_link_to_a_failure_opens_what_it_is_in(opened: Any) -> None:
    page = opened()
    page.locator("#functions td a").first.click()
    assert page.locator("article.failure:target").is_visible()


def test_nothing_is_asked_of_the_network_and_nothing_is_wrong(browser: Any, report: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(report.as_uri())
    context.close()
    assert asked == [report.as_uri()]
    assert wrong == []
