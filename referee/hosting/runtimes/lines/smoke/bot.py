"""Plays the first legal move: a whole bot in five lines."""

import json
import sys

for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "decision":
        print(asked["legal"][0])
