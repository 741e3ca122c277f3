"""Messages to the user of a program, beside its results."""

import sys
from contextlib import suppress


def say(sentence: str, *, err: bool = True) -> None:
    """Print a sentence; a log that takes no more, such as on a full disk, ends nothing."""
    with suppress(OSError):
        print(sentence, file=sys.stderr if err else sys.stdout, flush=True)
