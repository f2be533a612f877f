"""The operations of comm on signatures of JSON objects and on signed requests of A2A."""

from case_resolver import resolver_of
from parley_comm import a2a, jws, policy, strict_json, timestamps
from parley_comm.errors import CommError


def object_of(text):
    value = strict_json.parse_json(text)
    if not isinstance(value, dict):
        raise CommError("invalid_argument", "not an object")
    return value


def jws_sign(args, _call):
    seed, exclude = bytes.fromhex(args["seedHex"]), args.get("exclude", ())
    given = (seed, args.get("did"), args.get("keyId"), exclude)
    return {"jws": jws.sign_json(object_of(args["valueText"]), *given)}


async def jws_verify(args, _call):
    value = object_of(args["valueText"])
    options = {name: args[name] for name in ("exclude", "signer", "relationship") if name in args}
    now = timestamps.read_time(args["now"]) if "now" in args else None
    try:
        did, key_id = await jws.verify_json(value, args["jws"], resolver_of(args), now, **options)
    except CommError as error:
        return {"valid": False, "reason": error.code}
    return {"valid": True, "did": did, "keyId": key_id}


def a2a_sign(args, _call):
    request = object_of(args["requestText"])
    return {"request": a2a.sign_request(request, bytes.fromhex(args["seedHex"]), args["recipient"])}


async def a2a_verify(args, _call):
    now = timestamps.read_time(args["now"])
    rules = {"require": "proof"}
    verifier = policy.Verifier(
        args["recipient"], lambda: now, resolver_of(args), rules, policy.ReplayStore()
    )
    verdicts = []
    for text in args["requestTexts"]:
        try:
            did = await a2a.verify_request(strict_json.parse_json(text), verifier)
            verdicts.append({"valid": True, "did": did})
        except CommError as error:
            verdicts.append({"valid": False, "reason": error.code})
    return {"verdicts": verdicts}


SIGNED_JSON_OPS = {
    "comm.jws.sign": jws_sign,
    "comm.jws.verify": jws_verify,
    "comm.a2a.sign": a2a_sign,
    "comm.a2a.verify": a2a_verify,
}
