"""A running game in one language: its texts, its frames as JSON, and all of it packed."""

from __future__ import annotations

import gzip
import json
from typing import Any, Final

from web.live.messages import Place
from web.replays import surroundings, worded
from web.words import words_of

_LEVEL: Final = 4  # a running game is packed anew with each move


class Telling:
    """What has been told of a game, `frames` as JSON and `texts`; whoever owns it locks."""

    def __init__(self, code: str) -> None:
        self.texts: list[str] = []
        self.frames: list[str] = []
        self._words = words_of(code)
        self._packed: bytes | None = None

    def tell(self, game: dict[str, Any]) -> None:
        """Put what has come of the game into words and JSON, and the frame before that anew."""
        since = max(0, len(self.frames) - 1)
        fresh = worded(game, self._words, since)
        self.texts[since:] = [frame["text"] for frame in fresh]
        self.frames[since:] = [
            json.dumps(frame, ensure_ascii=False, separators=(",", ":")) for frame in fresh
        ]
        self._packed = None

    def packed(self, head: dict[str, Any], place: Place) -> bytes:
        """All of it as gzipped JSON for the viewer; `place` says how far that is."""
        if self._packed is None:
            about = surroundings(head, self._words) | {"place": str(place)}
            text = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
            whole = f'{text[:-1]},"frames":[{",".join(self.frames)}]}}'
            self._packed = gzip.compress(whole.encode(), _LEVEL, mtime=0)
        return self._packed
