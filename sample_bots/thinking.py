"""How many seconds a bot that searches may think about a decision: as told, or its default."""

import os

from referee.errors import InvalidSetting


def thinking_seconds(given: float | None, variable: str, default: float) -> float:
    """Return the seconds that are `given`, or that the environment sets, or the default.

    Raises ValueError if the seconds given are not above 0, InvalidSetting if those of the
    environment are not.
    """
    if given is not None:
        return _checked(given)
    text = os.environ.get(variable) or str(default)
    try:
        return _checked(float(text))
    except ValueError:
        raise InvalidSetting(
            f"{variable} is {text!r}; set it to the seconds that the bot may think about a "
            "decision, such as 0.1, or unset it."
        ) from None


def _checked(seconds: float) -> float:
    if not 0 < seconds < float("inf"):
        raise ValueError(f"A bot needs a thinking time above 0 seconds, not {seconds}.")
    return seconds
