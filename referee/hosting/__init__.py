"""Runs uploaded bots: packages, builds, sandboxes, and the host that workers call.

settings    what a host reads from the environment
client      what a worker asks of a host; `referee.seats.hosted` plays a seat there
lines       speaks gRPC for a program that reads lines of JSON and prints moves
"""
