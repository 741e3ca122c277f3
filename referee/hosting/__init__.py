"""Runs uploaded bots: packages, builds, sandboxes, and the host that workers call.

packages    what an author uploads: a packed folder, and its manifest `santiago.toml`
archives    refuses hostile archives; zips and tars read the two formats, packing writes them
settings    what a host reads from the environment
client      what a worker asks of a host
hosted_seat plays a seat of a match with a bot on a host: the worker's side
host        the service that workers call, over these:
listening   who may call it: a closed socket, or mutual TLS
cache       packages and bundles by their hashes
seat        the host's side: a bot's place in a match, and its sandbox, once it listens
seats       all of them: kept warm for the bots' next matches, or ended
game_relay  carries a game between a worker and a bot
call_relay  the same for the calls of the conformance suite
processors  grants each bot that thinks a processor of its own, and looks at it meanwhile
lines       speaks gRPC for a program (line_program) that reads lines and prints moves

runtime     what a bot of a language is built and run with: the folders in runtimes/
parts       what sandboxes read of this machine: the interpreter, the kit, pip
build       runs the steps of a build in a sandbox
bundles     what comes of it: an archive of which there is only one form

sandbox     starts a command in a sandbox; its limits; freezes, pins and ends it
guards      how this machine does: what holds a sandbox, why there can be none, a full disk
bubblewrap  the command line, the user, and what is done before the first step of the command
seccomp     the system calls that it may make
groups      control groups of a sandbox: its limits, freezing, CPU time
trees       where control groups can be made on this machine, if anywhere
processes   all processes of a sandbox: stopped, pinned, counted, killed
usage       what a sandbox uses, held against its limits
output      what comes out of it: what it prints, and its writable folder
"""
