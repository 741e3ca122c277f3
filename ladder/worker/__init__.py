"""The worker: the process that plays matches (playing) and does all other jobs (process)."""
