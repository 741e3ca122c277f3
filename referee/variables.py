"""Read the texts of settings that referee and ladder share: switches, addresses to dial.

Each function returns what a text means, and raises ValueError with advice for any other text.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from referee.errors import InvalidSetting

_Meaning = TypeVar("_Meaning")
_SWITCH: Final = {"1": True, "0": False, "": False}


def read(environ: Mapping[str, str], name: str, meaning: Callable[[str], _Meaning]) -> _Meaning:
    """Return what a variable means, "" if it is not set.

    Raises InvalidSetting that names the variable and says what to give.
    """
    text = environ.get(name, "").strip()
    try:
        return meaning(text)
    except ValueError as error:
        raise InvalidSetting(f"{name} is {text!r}: {error}") from None


def switch(text: str) -> bool:
    """Return True for 1; False for 0, or for nothing. Any other text may mean either."""
    try:
        return _SWITCH[text.strip()]
    except KeyError:
        raise ValueError("give 1 to switch it on, or 0 to switch it off") from None
