"""For admins: how the queue and the workers stand, and what is done where something is stuck."""

from web.operator import deeds, queue

parts = (queue, deeds)
"""The modules with a blueprint each."""
