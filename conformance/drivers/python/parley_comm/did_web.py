"""did:web: URLs, document retrieval, and a cache.

The caller provides network access: `fetch(url)` returns a response with `status`, `headers`
(names in lower case) and `chunks()`, an asynchronous iterator over the chunks of its body. `fetch`
must not follow redirects.
"""

import asyncio
import re

from .dids import is_did
from .errors import CommError
from .strict_json import parse_json

LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# Top-level domains are alphabetic or internationalized, unlike the IP addresses 1.2.3.4 and 0x7f.1.
HOST = re.compile(r"(?:%s\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])" % LABEL)
SEGMENT = re.compile(r"[A-Za-z0-9._-]+")
LOCAL_NAMES = tuple(
    "alt arpa consul corp default example home internal intranet invalid lan local localdomain "
    "localhost mail onion private svc test".split()
)
TYPES = ("application/did+json", "application/did+ld+json", "application/json")


def web_url(did):
    """Returns the URL of a did:web document."""
    if not is_did(did) or not did.startswith("did:web:"):
        raise CommError("did_invalid", str(did)[:100])
    host, *path = did[len("did:web:") :].split(":")
    if not is_public(host) or not all(is_segment(each) for each in path):
        raise CommError("did_invalid", did[:100])
    return "https://%s/%s/did.json" % (host, "/".join(path) or ".well-known")


def is_public(host):
    if len(host) > 253 or not HOST.fullmatch(host):
        return False
    return not any(host == name or host.endswith("." + name) for name in LOCAL_NAMES)


def is_segment(text):
    return SEGMENT.fullmatch(text) is not None and text not in (".", "..")


class WebResolver:
    """Fetches documents, with a timeout (in seconds) and a size limit."""

    def __init__(self, fetch, timeout=5.0, max_bytes=65_536):
        self._fetch = fetch
        self._timeout = timeout
        self._max_bytes = max_bytes

    async def resolve(self, did):
        """Fetches the document for a did:web."""
        url = web_url(did)
        try:
            body = await asyncio.wait_for(self._read(url), self._timeout)
            document = parse_json(body)
        except (asyncio.TimeoutError, OSError, CommError) as error:
            raise CommError("did_resolution_failed", did) from error
        if not isinstance(document, dict) or document.get("id") != did:
            raise CommError("did_resolution_failed", "document is for a different DID")
        return document

    async def _read(self, url):
        answer = await self._fetch(url)
        kind = answer.headers.get("content-type", "").split(";")[0].strip().lower()
        if answer.status != 200 or kind not in TYPES:
            raise CommError("did_resolution_failed", "response has status %d" % answer.status)
        body = bytearray()
        async for chunk in answer.chunks():
            body += chunk
            if len(body) > self._max_bytes:
                raise CommError("did_resolution_failed", "more than %d bytes" % self._max_bytes)
        return bytes(body)


class CachedResolver:
    """Caches documents for a limited time. Concurrent requests for a DID share one resolution."""

    def __init__(self, resolve, clock, ttl=300_000, max_entries=1000):
        self._resolve = resolve
        self._clock = clock
        self._ttl = ttl
        self._max_entries = max_entries
        self._kept = {}
        self._running = {}

    async def resolve(self, did):
        """Returns the document for a DID."""
        document, until = self._kept.get(did, (None, 0))
        if until > self._clock():
            return document
        task = self._running.get(did)
        if task is None:
            task = self._running[did] = asyncio.ensure_future(self._load(did))
        # Cancelling one caller must not cancel the resolution for other callers.
        return await asyncio.shield(task)

    async def _load(self, did):
        try:
            document = await self._resolve(did)
        finally:
            del self._running[did]
        self._kept.pop(did, None)
        while len(self._kept) >= self._max_entries:
            del self._kept[next(iter(self._kept))]
        self._kept[did] = (document, self._clock() + self._ttl)
        return document
