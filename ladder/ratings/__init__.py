"""Ratings beyond the next result: rebuilding the ledger, annulling, strength, fairness."""

from ladder.ratings.annulment import annul
from ladder.ratings.rebuilding import Effect, Rebuilt, check, rebuild

__all__ = ["Effect", "Rebuilt", "annul", "check", "rebuild"]
