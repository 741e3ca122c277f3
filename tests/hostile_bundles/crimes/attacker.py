"""Is no bot but a server that attacks whoever calls it, as one of tests/hostile_bots does."""

import os
import threading
from collections.abc import Mapping
from typing import Any


def commit(targets: Mapping[str, Any]) -> None:
    """Serve as the hostile bot that `targets["attacker"]` names, and never return."""
    from tests.hostile_bots.family import FAMILY  # a copy in the bundle

    with FAMILY[targets["attacker"]].open(os.environ["SANTIAGO_ADDRESS"]):
        threading.Event().wait()
