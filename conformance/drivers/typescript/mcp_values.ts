/**
 * Values that the handlers of described servers return, implemented with `@parley/mcp`.
 *
 * @module
 */

import { McpError } from "@parley/mcp/server";
import { makeSpecial } from "./driver_protocol.ts";
import { bytesOf, type Fields, isFields, textOf } from "./operation.ts";

/**
 * Returns what the handler of an item returns. A handler without a described result returns its
 * input.
 */
export function produce(item: Fields, input: unknown): unknown {
  const { returns, special, bytesHex, throws, rejects } = item;
  if (isFields(rejects)) {
    throw McpError.protocolError(textOf(rejects, "message"), {
      rpcCode: Number(rejects.code),
      ...("data" in rejects ? { data: rejects.data } : {}),
    });
  }
  if (throws !== undefined) throw new Error(String(throws));
  if (special !== undefined) return makeValue(special);
  if (bytesHex !== undefined) return bytesOf(item, "bytesHex");
  return returns ?? input;
}

const BYTES = new Uint8Array([0x00, 0xff]);

/** Creates a value that JSON cannot represent, or that has another form in JSON. */
export function makeValue(name: unknown): unknown {
  switch (name) {
    case "infinity":
      return Infinity;
    case "symbol":
      return Symbol("kit");
    case "invalid-date":
      return { at: new Date(NaN) };
    case "hole":
      return [1, , 3];
    case "undefined-item":
      return [undefined];
    case "deep":
      return makeDeep(300, 1);
    case "deep-map":
      return makeDeep(300, new Map([["a", 1]]));
    case "promise-member":
      return { later: Promise.resolve(1) };
    case "bytes-member":
      return { data: BYTES };
    case "class":
      return new (class Empty {})();
    case "instance":
      return new (class Full {
        a = 1;
      })();
    case "null-prototype":
      return Object.assign(Object.create(null), { a: 1 });
    case "to-json":
      return { list: [{ toJSON: () => "z" }] };
    case "to-json-undefined":
      return { a: { toJSON: () => undefined } };
    case "empty-members":
      return { at: undefined, list: [], map: {} };
    case "blob":
      return { uri: "test://in", blob: BYTES };
    case "blobs":
      return [{ uri: "test://in", blob: BYTES }, { uri: "test://in", text: "t" }];
    case "strange-blob":
      return { uri: 1, blob: BYTES };
    default:
      return makeSpecial(name);
  }
}

function makeDeep(levels: number, inner: unknown): unknown {
  let value = inner;
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}
