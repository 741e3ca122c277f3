"""One gRPC stream over HTTP/2, on a connection of its own, for an event loop.

gRPC's own client hands each message from thread to thread; for the short messages of a game that
costs several times what the messages do (benchmarks/README.md has the figures). A referee needs
little of HTTP/2: it opens one stream on a connection, and both end together.
"""
