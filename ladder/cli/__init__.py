"""The command `santiago`: one file a subcommand."""
