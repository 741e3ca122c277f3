"""Runs one match of Santiago de Cuba: the rules, the wire, the clocks, the replay.

rules/        the game itself; `board` draws a position in the terminal
seats/        the bots at a table: over gRPC, or in this process
http2/        the stream to a bot on this machine
gateway/      forwards games to bots that nobody can dial; `joining` is the bot's side
hosting/      the sandbox of bots that were uploaded, their packages and runtimes
engine/       how good a position is, and what is best to do there
analysis/     why a recorded game was won: chances, what decisions cost, luck
conformance/  checks that a bot keeps to the protocol
rl/           the game as a PettingZoo environment
training/     how the engine's network is trained
wire/         generated from proto/

A match:      match (runs it), game (its events, its luck), clock, replay (the file, its checks)
Messages:     messages, notes (of bots, for people), service (methods, limits, channel options)
The bot kit:  bot (what an author writes), serving (makes it a process)
All of these: ways (how addresses are dialled), variables (texts of settings), proof (shared
              secrets), processes (bots that this program starts), signals (to end in order),
              printing (what it tells), files (written whole), faults (of bots), fault_reports (for
              their authors), errors (of the platform), metrics
"""
