"""Follow slopes: the steps of Adam (Kingma and Ba, "Adam", 2015)."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating[Any]]

_MOMENTUM: Final = 0.9
_SMOOTHNESS: Final = 0.999


class Slopes:
    """The moments of the slopes of some numbers, and the steps that they lead to."""

    def __init__(self, numbers: Numbers, least: float) -> None:
        self._mean = np.zeros_like(numbers)
        self._square = np.zeros_like(numbers)
        self._least = least
        """Slopes below it lead to small steps."""
        self._steps = 0

    def step(self, slope: Numbers, rate: float) -> Numbers:
        """Return what to take from the numbers next: about `rate` each at first."""
        self._steps += 1
        self._mean += (1 - _MOMENTUM) * (slope - self._mean)
        self._square += (1 - _SMOOTHNESS) * (slope * slope - self._square)
        size = rate / (1 - _MOMENTUM**self._steps)
        square = self._square / (1 - _SMOOTHNESS**self._steps)
        found: Numbers = size * self._mean / (np.sqrt(square) + self._least)
        return found
