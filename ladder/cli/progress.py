"""How far a tournament is: a bar in a terminal, now and then a line anywhere else. On stderr."""

from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

_LINES: Final = 10


class ProgressBar:
    """Shown from the `with` until it is left."""

    def __init__(self, what: str, total: int, done: int = 0) -> None:
        self._what = what
        self._total = total
        self._said = self._tenths(done)
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._bar = Progress(
            "{task.description}",
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task(what, total=total, completed=done)

    def show(self, done: int, note: str = "") -> None:
        """So many of the total are done; `note` stands beside the bar."""
        self._bar.update(self._task, completed=done, description=f"{self._what} {note}".strip())
        tenths = self._tenths(done)
        if not self._console.is_terminal and tenths > self._said:
            self._said = tenths
            self.say(f"{self._what}: {done} of {self._total}")

    def _tenths(self, done: int) -> int:
        return done * _LINES // self._total

    def say(self, sentence: str) -> None:
        """Print something without disturbing the bar."""
        self._console.print(sentence, markup=False)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
