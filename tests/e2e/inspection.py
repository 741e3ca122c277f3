"""A page as all people need it: judged by axe, and kept as pictures, in both themes."""

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from tests.e2e.browser import keep_picture

WIDE, NARROW = 1280, 360
_RUN = "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)"
_GRAVE = ("serious", "critical")


def inspect(page: Page, name: str) -> None:
    """Narrow and dark, wide and light: no finding of weight, nothing cut off, and a picture.

    Leaves the page wide and light.
    """
    expect(page.locator("[data-loading]")).to_have_count(0)
    for width, dark in ((NARROW, True), (WIDE, False)):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="dark" if dark else "light")
        found = findings(page)
        assert not found, f"{name}: {found}"
        keep_picture(page, name)


def findings(page: Page) -> list[str]:
    """What axe finds serious or critical: the rule, and where."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(_RUN)
    return [
        f"{one['id']}: {', '.join(str(node['target']) for node in one['nodes'])}: {one['help']}"
        for one in found
        if one["impact"] in _GRAVE
    ]
