"""What a page costs until it is there: requests that leave the browser, bytes, and jumps."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page

_SHIFTS = """() => new Promise(tell => {
    const shifts = [];
    new PerformanceObserver(list => shifts.push(...list.getEntries())).observe(
        {type: "layout-shift", buffered: true});
    requestAnimationFrame(() => setTimeout(() => tell(
        shifts.filter(one => !one.hadRecentInput).reduce((sum, one) => sum + one.value, 0))));
})"""


@dataclass
class Loaded:
    """The requests of a page by id, without those that a cache answered; bytes as sent."""

    paths: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def requests(self) -> list[str]:
        """What was asked for, in order."""
        return list(self.paths.values())

    @property
    def sent(self) -> int:
        """The bytes of all answers, heads included."""
        return sum(size for each, size in self.sizes.items() if each in self.paths)


@contextmanager
def counted(page: Page) -> Iterator[Loaded]:
    """Count what the page asks of the network meanwhile."""
    loaded = Loaded()
    wire = page.context.new_cdp_session(page)

    def known(event: dict[str, Any]) -> None:
        loaded.paths.pop(event["requestId"], None)

    def answered(event: dict[str, Any]) -> None:
        if event["response"].get("fromDiskCache"):
            known(event)

    def asked(event: dict[str, Any]) -> None:
        loaded.paths[event["requestId"]] = event["request"]["url"]

    def ended(event: dict[str, Any]) -> None:
        loaded.sizes[event["requestId"]] = int(event["encodedDataLength"])

    wire.on("Network.requestWillBeSent", asked)
    wire.on("Network.requestServedFromCache", known)
    wire.on("Network.responseReceived", answered)
    wire.on("Network.loadingFinished", ended)
    wire.send("Network.enable")
    yield loaded
    wire.detach()


def shift(page: Page) -> float:
    """The sum of the page's layout shifts that no input caused (Layout Instability API)."""
    return float(page.evaluate(_SHIFTS))
