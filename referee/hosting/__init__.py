"""Runs uploaded bots: packages, builds, sandboxes, and the host that workers call.

packages    what an author uploads: a packed folder with a `santiago.toml`, its manifest
archives    refuses hostile archives; zips and tars read the two formats, packing writes them
settings    what a host reads from the environment
client      what a worker asks of a host
hosted_seat plays a seat of a match with a bot on a host: the worker's side
host        the service that workers call, over these:
listening   who may call it: a closed socket, or mutual TLS
cache       packages and bundles by their hashes
seats       the host's side: a sandbox for each bot in a match, kept warm for its next one
starting    starts a bot in a sandbox, and waits until it listens
sitting     carries a game between a worker and a bot
relaying    the same for the calls of the conformance suite
processors  grants each bot that thinks a processor of its own
watch       looks at the bots that run, every few milliseconds
lines       speaks gRPC for a program (line_program) that reads lines (line_forms) and prints moves

runtime     what a bot of a language is built and run with: the folders in runtimes/
parts       what sandboxes read of this machine: the interpreter, the kit, pip
build       runs the steps of a build in a sandbox
bundles     what comes of it: an archive of which there is only one form

sandbox     starts a command in a sandbox; its limits; freezes, pins and ends it
guards      what holds a sandbox on this machine, or why there can be none
bubblewrap  the command line, and what is done before the first step of the command
seccomp     the system calls that it may make
users       a user id of its own for each sandbox
groups      control groups of a sandbox: its limits, freezing, CPU time
trees       where control groups can be made on this machine, if anywhere
processes   all processes of a sandbox: stopped, pinned, counted, killed
usage       what a sandbox uses, held against its limits
shared      its writable folder, as the host opens it
output      what they print, kept as far as the limit goes
"""
