"""Settings of the production server, gunicorn: `python -m web`.

The environment says where it listens (SANTIAGO_HOST, SANTIAGO_PORT) and, by gunicorn's own
WEB_CONCURRENCY, in how many processes; one is enough for a ladder on one machine.
"""

import os

bind = f"{os.environ.get('SANTIAGO_HOST', '127.0.0.1')}:{os.environ.get('SANTIAGO_PORT', '8000')}"
worker_class = "gthread"
threads = 8
keepalive = 30
graceful_timeout = 10
"""Seconds that requests under way get when the server is told to end."""
control_socket_disable = True
"""Otherwise it would listen for orders in the home folder of whoever runs it."""
