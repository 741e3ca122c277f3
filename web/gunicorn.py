"""Settings of the production server: `gunicorn -c python:web.gunicorn 'web:create_app()'`."""

import os

bind = f"{os.environ.get('SANTIAGO_HOST', '127.0.0.1')}:{os.environ.get('SANTIAGO_PORT', '8000')}"
worker_class = "gthread"
workers = int(os.environ.get("SANTIAGO_WEB_WORKERS", "1"))
threads = int(os.environ.get("SANTIAGO_WEB_THREADS", "8"))
keepalive = 30
graceful_timeout = 10
"""Seconds that requests under way get when the server is told to end."""
