"""new-bot: reads a line of JSON for each decision, and prints one of the legal moves."""

import json
import sys


def choose(legal: list[str]) -> str:
    """Deliver to the ship whenever that is possible."""
    deliveries = [move for move in legal if move.startswith("deliver")]
    return (deliveries or legal)[0]


for text in sys.stdin:
    line = json.loads(text)
    if line["type"] == "decision":
        print(choose(line["legal"]), flush=True)
