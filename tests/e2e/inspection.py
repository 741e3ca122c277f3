"""A page as all people need it: judged by axe, and kept as pictures, in both themes."""

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from tests.e2e.browser import keep_picture

WIDE, NARROW = 1280, 360
_RUN = "options => axe.run(options).then(({ violations }) => violations)"
_VIOLATIONS = {"resultTypes": ["violations"]}
_OF_LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]
"""The rules that the theme or the width can break; the others are about what the page says."""
_GRAVE = ("serious", "critical")


def inspect(page: Page, name: str) -> None:
    """Narrow and dark, wide and light: no finding of weight, nothing cut off, maybe a picture.

    What has not to do with looks is judged when it is narrow. Leaves the page wide and light.
    """
    expect(page.locator("[data-loading]")).to_have_count(0)
    for width, dark in ((NARROW, True), (WIDE, False)):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="dark" if dark else "light")
        found = findings(page, None if width == NARROW else _OF_LOOKS)
        assert not found, f"{name}: {found}"
        keep_picture(page, name)


def findings(page: Page, rules: list[str] | None = None) -> list[str]:
    """What axe finds serious or critical: the rule, and where; by all rules or those given."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(_RUN, _VIOLATIONS | ({"runOnly": rules} if rules else {}))
    return [
        f"{one['id']}: {', '.join(str(node['target']) for node in one['nodes'])}: {one['help']}"
        for one in found
        if one["impact"] in _GRAVE
    ]
