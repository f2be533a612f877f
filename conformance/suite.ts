/**
 * The list of the case files that the kit ships.
 *
 * They are imported, not read from a folder, so that a published kit finds them wherever it runs.
 *
 * @module
 */

import commCanonicalJson from "./cases/comm/canonical_json.json" with { type: "json" };
import commChannel from "./cases/comm/channel.json" with { type: "json" };
import commDidKey from "./cases/comm/did_key.json" with { type: "json" };
import commEd25519 from "./cases/comm/ed25519.json" with { type: "json" };
import commEd25519Edges from "./cases/comm/ed25519_edges.json" with { type: "json" };
import commMessage from "./cases/comm/message.json" with { type: "json" };
import commMessageJson from "./cases/comm/message_json.json" with { type: "json" };
import commNegotiation from "./cases/comm/negotiation.json" with { type: "json" };
import commNoop from "./cases/comm/noop.json" with { type: "json" };
import commProtocolId from "./cases/comm/protocol_id.json" with { type: "json" };
import commReply from "./cases/comm/reply.json" with { type: "json" };
import commSigning from "./cases/comm/signing.json" with { type: "json" };
import commTime from "./cases/comm/time.json" with { type: "json" };
import commVerification from "./cases/comm/verification.json" with { type: "json" };
import runtimeLoop from "./cases/runtime/loop.json" with { type: "json" };
import runtimeModel from "./cases/runtime/model.json" with { type: "json" };
import runtimeTools from "./cases/runtime/tools.json" with { type: "json" };
import { readSuite, type Suite } from "./kit/load.ts";

/** Parsed case files by their path below `cases/`. */
const FILES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["comm/canonical_json.json", commCanonicalJson],
  ["comm/channel.json", commChannel],
  ["comm/did_key.json", commDidKey],
  ["comm/ed25519.json", commEd25519],
  ["comm/ed25519_edges.json", commEd25519Edges],
  ["comm/message.json", commMessage],
  ["comm/message_json.json", commMessageJson],
  ["comm/negotiation.json", commNegotiation],
  ["comm/noop.json", commNoop],
  ["comm/protocol_id.json", commProtocolId],
  ["comm/reply.json", commReply],
  ["comm/signing.json", commSigning],
  ["comm/time.json", commTime],
  ["comm/verification.json", commVerification],
  ["runtime/loop.json", runtimeLoop],
  ["runtime/model.json", runtimeModel],
  ["runtime/tools.json", runtimeTools],
]);

/**
 * Reads the cases that come with the kit.
 *
 * @example Count the cases of one library
 * ```ts
 * import { loadSuite } from "@parley/conformance";
 * import { assert } from "@std/assert";
 *
 * const ids = [...loadSuite().keys()].filter((id) => id.startsWith("comm/"));
 * assert(ids.includes("comm/canonical-json/sample"));
 * ```
 */
export function loadSuite(): Suite {
  return readSuite(FILES);
}
