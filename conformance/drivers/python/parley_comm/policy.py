"""Verification policies: combine signature verification, age limits and replay detection."""

from collections import OrderedDict

from .errors import CommError
from .messages import read_uuid_time
from .proof import covered_by_proof, verify_proof
from .signing import SIGNED, check_recipient, verify_message
from .timestamps import read_time

LEVELS = ("none", "signature", "proof")


class ReplayGuard:
    """Tracks accepted messages by sender and id, with a time limit and a maximum number."""

    def __init__(self, ttl=600_000, max_entries=100_000):
        self._ttl = ttl
        self._max_entries = max_entries
        self._accepted = OrderedDict()

    def accept(self, sender, message_id, now):
        """Returns True if a message is new, and stores it."""
        while self._accepted and next(iter(self._accepted.values())) <= now:
            self._accepted.popitem(last=False)
        if (sender, message_id) in self._accepted:
            return False
        if len(self._accepted) >= self._max_entries:
            self._accepted.popitem(last=False)
        self._accepted[sender, message_id] = now + self._ttl
        return True


class Verifier:
    """Verifies messages according to a policy. `clock` returns milliseconds since 1970."""

    def __init__(self, recipient, clock, resolve, policy=None, guard=None):
        self._recipient = recipient
        self._clock = clock
        self._resolve = resolve
        self._policy = policy or {}
        self._guard = guard

    async def verify(self, message):
        """Returns the key id (None if no key is required) and the authenticated members."""
        level = self._level(message)
        key_id, covered = await self._verify_at(level, message)
        if level != "none":
            self._check_age(message, level)
            if level == "signature" and self._policy.get("replyTo", "bound") == "bound":
                check_reply(message)
            if self._guard and not self._guard.accept(
                message["sender"], message["id"], self._clock()
            ):
                raise CommError("replay_detected", message["id"])
        return key_id, covered

    def _level(self, message):
        """Returns the required level: the stricter of the sender's and the protocol's."""
        named = [
            self._policy.get(name, {}).get(message[member])
            for name, member in (("senders", "sender"), ("protocols", "protocol"))
        ]
        known = [level for level in named if level is not None]
        if not known:
            return self._policy.get("require", "signature")
        return max(known, key=LEVELS.index)

    async def _verify_at(self, level, message):
        if level == "signature":
            now = self._clock()
            return await verify_message(message, self._resolve, self._recipient, now), SIGNED
        if level == "proof":
            skew = self._policy.get("clockSkewMs", 60_000)
            now = self._clock()
            key_id = await verify_proof(message, self._resolve, now, self._recipient, skew)
            return key_id, covered_by_proof(message)
        check_recipient(message, self._recipient)
        return None, ()

    def _check_age(self, message, level):
        """Checks the authenticated time: with a proof the timestamp, otherwise the id's time."""
        timestamp = read_time(message["timestamp"])
        proven = timestamp if level == "proof" else read_uuid_time(message["id"])
        if proven is None:
            raise CommError("age_unproven", message["id"])
        if abs(proven - timestamp) > 1000:
            raise CommError("timestamp_mismatch", message["timestamp"])
        now = self._clock()
        if proven > now + self._policy.get("clockSkewMs", 60_000):
            raise CommError("not_yet_valid", message["id"])
        if proven + self._policy.get("maxAgeMs", 300_000) < now:
            raise CommError("expired", message["id"])


def check_reply(message):
    """Checks that replyTo equals correlationId, because a signature does not cover replyTo."""
    if "replyTo" in message and message["replyTo"] != message.get("correlationId"):
        raise CommError("reply_mismatch", message["replyTo"])
