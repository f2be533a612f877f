"""Verification policies: combine signature verification, age limits and replay detection."""

import contextlib
from collections import Counter

from .errors import CommError
from .messages import read_uuid_time
from .proof import covered_by_proof, verify_proof
from .signing import SIGNED, check_recipient, verify_message
from .timestamps import read_time

LEVELS = ("none", "signature", "proof", "reject")


class ReplayStore:
    """Tracks messages by sender and id, for a limited time and with limited capacity."""

    def __init__(self, ttl=600_000, max_entries=100_000, max_share_per_sender=0.1):
        self._ttl = ttl
        self._max_entries = max_entries
        self._max_per_sender = max(1, int(max_entries * max_share_per_sender))
        self._ends = {}
        self._committed = set()
        self._counts = Counter()

    def begin(self, sender, message_id, now):
        """Returns True and tracks the message if it is new, or False if it is tracked already.

        Raises an error if there is no capacity for the message.
        """
        # Entries are sorted by expiration time, because all entries are kept for the same duration.
        while self._ends and next(iter(self._ends.values())) <= now:
            self._remove(next(iter(self._ends)))
        if (sender, message_id) in self._ends:
            return False
        if len(self._ends) >= self._max_entries or self._counts[sender] >= self._max_per_sender:
            raise CommError("replay_guard_full", message_id)
        self._ends[sender, message_id] = now + self._ttl
        self._counts[sender] += 1
        return True

    def commit(self, sender, message_id):
        """Marks the message as processed."""
        self._committed.add((sender, message_id))

    def abort(self, sender, message_id):
        """Removes the message if it is not committed, so that it can be delivered again."""
        key = sender, message_id
        if key in self._ends and key not in self._committed:
            self._remove(key)

    def _remove(self, key):
        del self._ends[key]
        self._committed.discard(key)
        sender, _ = key
        self._counts[sender] -= 1
        if not self._counts[sender]:
            del self._counts[sender]


class Reservation:
    """A verified message that is not processed yet. Without a store, nothing is tracked.

    The first successful call to commit or abort ends the reservation: later calls do not reach the
    store, in which another consumer may have reserved the message. Both raise replay_store_failed if
    the store fails, and can then be called again.
    """

    def __init__(self, key_id, covered, message, store=None):
        self.key_id = key_id
        self.covered = covered
        self._key = message["sender"], message["id"]
        self._store = store

    def commit(self):
        """Ends the reservation after the message was processed."""
        if self._store is not None:
            self._settle(self._store.commit)

    def abort(self):
        """Ends the reservation after a failure. The message can be delivered again."""
        if self._store is not None:
            self._settle(self._store.abort)

    def _settle(self, method):
        try:
            method(*self._key)
        except Exception as error:  # a store can fail in any way, for example a database
            raise CommError("replay_store_failed", self._key[1]) from error
        self._store = None


class Verifier:
    """Verifies messages according to a policy. `clock` returns milliseconds since 1970."""

    def __init__(self, recipient, clock, resolve, policy=None, store=None):
        self._recipient = recipient
        self._clock = clock
        self._resolve = resolve
        self._policy = policy or {}
        self._store = store

    async def verify(self, message):
        """Returns the key id (None if no key is required) and the authenticated members."""
        reservation = await self.begin(message)
        try:
            reservation.commit()
        except CommError:
            # If aborting also fails, the id stays reserved until the store releases it.
            with contextlib.suppress(CommError):
                reservation.abort()
            raise
        return reservation.key_id, reservation.covered

    async def begin(self, message):
        """Verifies a message and returns its reservation, which must be committed or aborted."""
        level = self._level(message)
        check_recipient(message, self._recipient)
        if level != "none":
            self._check_age(message, level)
            if level == "signature" and self._policy.get("replyTo", "bound") == "bound":
                check_reply(message)
        # The sender's DID is resolved after the other checks: forged messages must not cause
        # requests.
        key_id, covered = await self._verify_at(level, message)
        if level == "none" or self._store is None:
            return Reservation(key_id, covered, message)
        self._track(message)
        return Reservation(key_id, covered, message, self._store)

    def _track(self, message):
        """Rejects the message unless the store reports that it is new."""
        try:
            is_new = self._store.begin(message["sender"], message["id"], self._clock())
        except CommError:
            raise
        except Exception as error:  # a store can fail in any way, for example a database
            raise CommError("replay_store_failed", message["id"]) from error
        if is_new is False:
            raise CommError("replay_detected", message["id"])
        if is_new is not True:
            raise CommError("replay_store_failed", message["id"])

    def _level(self, message):
        """Returns the required level: the stricter of the sender's and the protocol's."""
        default = self._policy.get("require", "signature")
        of_sender = self._policy.get("senders", {}).get(message["sender"])
        of_protocol = self._policy.get("protocols", {}).get(message["protocol"])
        if default == "reject" and of_sender is None:
            of_sender = "reject"
        known = [level for level in (of_sender, of_protocol) if level is not None]
        level = max(known, key=LEVELS.index, default=default)
        if level == "reject":
            raise CommError("sender_refused", message["sender"])
        return level

    async def _verify_at(self, level, message):
        if level == "signature":
            now = self._clock()
            return await verify_message(message, self._resolve, self._recipient, now), SIGNED
        if level == "proof":
            skew = self._policy.get("clockSkewMs", 60_000)
            now = self._clock()
            key_id = await verify_proof(message, self._resolve, now, self._recipient, skew)
            return key_id, covered_by_proof(message)
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
