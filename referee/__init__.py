"""Runs one match of Santiago de Cuba: the rules, the wire, the clocks, the replay."""
