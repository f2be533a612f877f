import { assert, assertEquals, assertThrows } from "@std/assert";
import { canonicalize } from "../canonical/canonical_json.ts";
import { CommError } from "../shared/error.ts";
import { createProtocolAccept, createProtocolOffer, negotiateProtocol } from "./negotiate.ts";

const ANN = "did:web:ann.example";
const BOB = "did:web:bob.example";

function negotiate(offered: readonly string[], supported: readonly string[]): string {
  const offer = createProtocolOffer({ offererDid: ANN, protocols: offered });
  return negotiateProtocol(offer, supported, BOB).selectedProtocol;
}

Deno.test("negotiateProtocol() selects the first offered protocol that is supported", () => {
  assertEquals(negotiate(["a.b.v3", "a.b.v2", "a.b.v1"], ["a.b.v1", "a.b.v2"]), "a.b.v2");
  assertEquals(negotiate(["x", "x", "y"], ["y", "x", "x"]), "x");
});

Deno.test("negotiateProtocol() ignores the order of the supported protocols", () => {
  const supported = ["c", "b", "a"];
  assertEquals(negotiate(["b", "a"], supported), negotiate(["b", "a"], supported.toReversed()));
});

Deno.test("negotiateProtocol() throws if no offered protocol is supported", () => {
  const pairs: readonly (readonly [readonly string[], readonly string[]])[] = [
    [["a.b.v2"], ["a.b.v1"]],
    [["a.B.v1"], ["a.b.v1"]],
    [[], ["a.b.v1"]],
    [["a.b.v1"], []],
  ];
  for (const [offered, supported] of pairs) {
    const error = assertThrows(() => negotiate(offered, supported), CommError);
    assert(error.is("no_common_protocol"));
    assertEquals(error.details, { offered, supported });
  }
});

Deno.test("negotiateProtocol() sets the responder's DID and the current time", () => {
  const offer = createProtocolOffer({ offererDid: ANN, protocols: ["a.b.v1"] });
  const before = Date.now();
  const accept = negotiateProtocol(offer, ["a.b.v1"], BOB);
  assertEquals(accept.accepterDid, BOB);
  assert(Date.parse(accept.timestamp) >= before);
});

Deno.test("createProtocolOffer() and createProtocolAccept() reject invalid values", () => {
  const illegal: readonly (() => unknown)[] = [
    () => createProtocolOffer({ offererDid: "ann", protocols: [] }),
    () => createProtocolOffer({ offererDid: ANN, protocols: [""] }),
    () => createProtocolOffer({ offererDid: ANN, protocols: ["x".repeat(257)] }),
    () => createProtocolOffer({ offererDid: ANN, protocols: Array(1001).fill("x") }),
    () => createProtocolOffer({ offererDid: ANN, protocols: [], timestamp: "now" }),
    () => Reflect.apply(createProtocolOffer, undefined, [null]),
    () =>
      Reflect.apply(createProtocolOffer, undefined, [{
        offererDid: { toString: 1 },
        protocols: ["x"],
      }]),
    () => createProtocolAccept({ accepterDid: BOB, selectedProtocol: "" }),
    () => Reflect.apply(createProtocolAccept, undefined, ["x"]),
    () => createProtocolAccept({ accepterDid: "bob", selectedProtocol: "x" }),
    () =>
      negotiateProtocol(createProtocolOffer({ offererDid: ANN, protocols: ["x"] }), ["x"], "bob"),
    () =>
      Reflect.apply(negotiateProtocol, undefined, [
        { offererDid: ANN, protocols: "x" },
        ["x"],
        BOB,
      ]),
  ];
  for (const create of illegal) {
    assertEquals(assertThrows(create, CommError).code, "invalid_argument");
  }
});

Deno.test("createProtocolOffer() returns frozen plain data with comparable canonical JSON", () => {
  const timestamp = "2026-01-02T03:04:05.678Z";
  const offer = createProtocolOffer({ offererDid: ANN, protocols: ["x"], timestamp });
  assertEquals(
    canonicalize(offer),
    '{"offererDid":"did:web:ann.example","protocols":["x"],"timestamp":"2026-01-02T03:04:05.678Z"}',
  );
  assert(Object.isFrozen(offer) && Object.isFrozen(offer.protocols));
});
