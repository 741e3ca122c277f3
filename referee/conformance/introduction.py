"""The shared secret, where the operator's settings name one: each side proves that it knows it."""

from referee.conformance.check import Failure, Why
from referee.proof import Meeting as Proofs
from referee.proof import fits, fresh_challenge, same
from referee.wire import bot_pb2


def challenge(secret: str) -> bytes:
    """For GameStart; empty where no secret is shared."""
    return fresh_challenge() if secret else b""


def proof_for(secret: str, start: bot_pb2.GameStart, accept: bot_pb2.Accept) -> bytes:
    """Our own proof, when the candidate's is right. Raises Failure."""
    if not secret:
        return b""
    proofs = Proofs(start.challenge, accept.challenge, start.match_id, start.attempt, start.seat)
    if not fits(accept.challenge) or not same(accept.proof, proofs.bots_proof(secret)):
        sentence = (
            "It did not prove that it knows the secret that is set for its address: "
            "was it started with SANTIAGO_SECRET, and with the same?"
        )
        raise Failure(Why.PROTOCOL, sentence)
    return proofs.referees_proof(secret)
