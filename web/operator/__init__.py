"""For admins: how the queue and the workers stand."""

from web.operator import queue

parts = (queue,)
"""The modules with a blueprint each."""
