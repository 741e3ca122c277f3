"""Who has dialled in: the lines of bots, with how many games each of them can still play."""

import asyncio
from dataclasses import dataclass, field

from referee.gateway.forwarding import Link


class NoLine(Exception):
    """The bot cannot play now; the message says why."""


@dataclass(eq=False)
class BotLine:
    """A bot that has dialled in and offers slots."""

    name: str
    instance: str
    """What a program says again when it dials again, and no other one says; may be empty."""
    slots: int
    description: bytes
    version: str = ""
    """What the description says."""
    tickets: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    """Those that the bot is still to be told of."""
    links: set[Link] = field(default_factory=set)
    """The games that it plays."""
    dropped: asyncio.Event = field(default_factory=asyncio.Event)


class Lines:
    """All lines, the newest last."""

    def __init__(self) -> None:
        self._lines: list[BotLine] = []

    def add(self, line: BotLine) -> None:
        """A bot has dialled in. It takes the place of its former line, if it had one."""
        for former in list(self._lines):
            if line.instance and (former.name, former.instance) == (line.name, line.instance):
                self.drop(former)
        self._lines.append(line)

    def drop(self, line: BotLine) -> None:
        """A line is over, and so are its games for now: workers call again."""
        if line in self._lines:
            self._lines.remove(line)
        line.dropped.set()
        for link in list(line.links):
            link.lose()

    def newest(self, name: str) -> BotLine:
        """A bot's newest line. Raises NoLine."""
        for line in reversed(self._lines):
            if line.name == name:
                return line
        raise NoLine(f"the bot {name} has not dialled in")

    def offered(self, name: str) -> tuple[int, str]:
        """How many games all lines of a bot offer together, and the version of the newest."""
        lines = [line for line in self._lines if line.name == name]
        return sum(line.slots for line in lines), lines[-1].version if lines else ""

    def free(self, name: str) -> BotLine:
        """A bot's newest line that has a slot left. Raises NoLine."""
        self.newest(name)
        for line in reversed(self._lines):
            if line.name == name and len(line.links) < line.slots:
                return line
        raise NoLine(f"all slots of the bot {name} are taken")
