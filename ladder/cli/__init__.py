"""The command `santiago`: a module for each group of subcommands."""
