"""Signed messages between agents, after the specification of Parley's comm library.

An implementation of its own, to show that the specification can be met without the other one:
the standard library, and python3-cryptography for Ed25519. A message is a dictionary with the
members of the specification.
"""
