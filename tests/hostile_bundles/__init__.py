"""Bundles that misbehave, for tests: each in a real sandbox, built, started and at a table.

crimes/   what is in the bundles: `bot` commits one of the others at one stage of its life
house     a host's process, as root or as an unprivileged operator: it builds and starts bundles
census    what there is of the host's processes, files, sockets, mounts and groups
"""
