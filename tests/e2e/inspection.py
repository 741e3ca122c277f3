"""A page as all people need it: judged by axe, and kept as pictures, in both themes."""

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.browser import keep_picture

WIDE, NARROW = 1280, 360
_RUN = "([where, options]) => axe.run(where, options).then(({ violations }) => violations)"
_LATER = "tr:nth-child(n + 5), li:nth-child(n + 5)"
_WHERE = {"exclude": [[_LATER]]}
"""Without rows and items after four of their kind: axe would spend most of its time on them."""
_VIOLATIONS = {"resultTypes": ["violations"]}
_OF_LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]
"""The rules that the theme or the width can break; the others are about what the page says."""
_KINDS = """unread => {
    const unlike = new Set(["aria-label", "datetime", "for", "href", "id", "title", "value"]);
    const tag = one => [one.localName, ...[...one.attributes]
        .map(({name, value}) => unlike.has(name) ? name : `${name}=${value}`)].join(" ");
    const kind = one => one ? `${kind(one.parentElement)}<${tag(one)}>` : "";
    const says = one => one.matches("input, select, textarea") ||
        [...one.childNodes].some(({nodeType, data}) => nodeType === Node.TEXT_NODE && data.trim());
    document.querySelectorAll("[data-of-a-kind]")
        .forEach(one => one.removeAttribute("data-of-a-kind"));
    const firsts = new Map([...document.body.querySelectorAll("*")].reverse()
        .filter(one => says(one) && !one.closest(unread))
        .filter(one => one.checkVisibility({visibilityProperty: true}))
        .map(one => [kind(one), one]));
    firsts.forEach(one => one.setAttribute("data-of-a-kind", ""));
}"""
"""Marks the first text of each kind: those with the same tags around them look the same."""
_RULES = """axe.configure({rules: [
    {id: "color-contrast", selector: "[data-of-a-kind]"},
    {id: "region", enabled: false},
]})"""
"""To judge the contrast of each text would take four fifths of axe's time; what `region` finds
has moderate weight, and takes up to a tenth of it."""
_AXE = f"{AXE_SCRIPT};{_RULES}"
_GRAVE = ("serious", "critical")
_TARGET = 44
"""Pixels that what a thumb has to hit is wide and high at least (WCAG 2.5.5)."""
_SMALL_TARGETS = """least => {
    const wide = element => {
        const label = element.closest("label, summary") ?? element;
        const box = (label.contains(element) ? label : element).getBoundingClientRect();
        return [Math.round(box.width), Math.round(box.height)];
    };
    const inText = element =>
        element.matches("a") && getComputedStyle(element).display === "inline";
    return [...document.querySelectorAll("a, button, input, select, summary, textarea")]
        .filter(one => one.checkVisibility({visibilityProperty: true}) && !inText(one))
        .filter(one => !one.closest("svg, .skip, .visually-hidden"))
        .map(one => [one, ...wide(one)])
        .filter(([one, width, height]) => width && Math.min(width, height) < least)
        .map(([one, ...size]) => `${one.tagName} ${one.className || one.name || ""} ` +
            `"${one.textContent.trim().slice(0, 30)}": ${size.join(" x ")}`);
}"""


def bring_axe(context: BrowserContext) -> None:
    """Have each page begin with axe: to send it to a page that is there costs 0.05 CPU seconds."""
    context.add_init_script(_AXE)


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
        if width == NARROW:
            small = small_targets(page)
            assert not small, f"{name}: {small}"
        keep_picture(page, name)


def small_targets(page: Page) -> list[str]:
    """Controls that a thumb may miss, with their sizes; links within a text are none."""
    found: list[str] = page.evaluate(_SMALL_TARGETS, _TARGET)
    return found


def findings(page: Page, rules: list[str] | None = None) -> list[str]:
    """What axe finds serious or critical: the rule, and where; by all rules or those given."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE)
    page.evaluate(_KINDS, _LATER)
    options = _VIOLATIONS | ({"runOnly": rules} if rules else {})
    found = page.evaluate(_RUN, [_WHERE, options])
    return [
        f"{one['id']}: {', '.join(str(node['target']) for node in one['nodes'])}: {one['help']}"
        for one in found
        if one["impact"] in _GRAVE
    ]
