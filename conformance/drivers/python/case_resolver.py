"""The resolver that the arguments of a case describe."""

from parley_comm import dids
from parley_comm.errors import CommError


def resolver_of(args):
    """Returns a resolver that uses the case's documents and resolves other DIDs offline."""
    given, metadata = args.get("didDocuments", {}), args.get("didMetadata", {})

    async def resolve(did):
        details = metadata.get(did, {})
        if "error" in details or details.get("throws") is True:
            raise CommError("did_resolution_failed", did)
        if did not in given:
            return await dids.resolve_offline(did)
        if details.get("deactivated") is True:
            raise CommError("did_deactivated", did)
        return given[did]

    return resolve
