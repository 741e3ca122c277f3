"""The command `santiago`: a module for each group of subcommands."""

INTERRUPTED = 130
"""The exit code that shells expect after Ctrl-C (SIGINT); 1 means that something was refused."""
