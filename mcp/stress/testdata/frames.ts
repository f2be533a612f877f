/**
 * Arbitrary frames for fuzz tests: malformed messages, messages with changed bytes, and random
 * bytes, split into chunks.
 *
 * @module
 */

import { decodeUtf8 } from "@parley/internal/decode-utf8";
import fc from "fast-check";

/** Bytes and the positions at which they are split into chunks. */
export interface Cut {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly at: readonly number[];
}

const SERVER_METHODS = [
  "ping",
  "initialize",
  "server/discover",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "notifications/initialized",
  "notifications/roots/list_changed",
  "notifications/progress",
] as const;

const NAMES = [
  "add",
  "echo",
  "__proto__",
  "constructor",
  "",
  "zwölf 😂",
  "test:///{+path}",
  "test:///a",
];
const VERSIONS = ["2024-11-05", "2025-03-26", "2025-11-25", "2026-07-28", "1999-01-01"];

/** A value of an unexpected type. */
const oddValue = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NAMES, ...VERSIONS) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme" }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 0, -1, 1.5, 2 ** 53, [], {}, true) },
);

const clientInfo = fc.oneof(fc.constant({ name: "fuzz", version: "1" }), oddValue);

const meta = fc.record({
  "io.modelcontextprotocol/protocolVersion": fc.constantFrom(...VERSIONS),
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": fc.oneof(fc.constant({}), oddValue),
  progressToken: oddValue,
}, { requiredKeys: [] });

const name = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...NAMES) }, oddValue);

/** Parameters for an arbitrary method, some with unexpected values. */
const params = fc.record({
  name,
  uri: name,
  arguments: fc.oneof(fc.dictionary(fc.constantFrom("a", "b", "__proto__"), oddValue), oddValue),
  cursor: oddValue,
  level: oddValue,
  ref: fc.oneof(fc.record({ type: fc.constant("ref/prompt"), name }), oddValue),
  argument: fc.oneof(fc.record({ name, value: oddValue }), oddValue),
  protocolVersion: oddValue,
  capabilities: fc.oneof(fc.constant({}), oddValue),
  clientInfo,
  _meta: fc.oneof({ weight: 4, arbitrary: meta }, { weight: 1, arbitrary: oddValue }),
}, { requiredKeys: [] });

/** A request that a server must respond to, with a result or an error. */
const request: fc.Arbitrary<object> = fc.record({
  jsonrpc: fc.constant("2.0"),
  id: fc.oneof({ weight: 4, arbitrary: fc.nat() }, fc.string()),
  method: fc.constantFrom(...SERVER_METHODS),
  params,
}, { requiredKeys: ["jsonrpc", "id", "method"] });

/** A message that has missing or additional members, or invalid values. */
const oddMessage: fc.Arbitrary<object> = fc.record({
  jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant("2.0") }, oddValue),
  id: fc.oneof({ weight: 6, arbitrary: fc.nat() }, fc.string(), oddValue),
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<string>(...SERVER_METHODS) },
    { weight: 1, arbitrary: fc.string().map((text) => `odd/${text}`) },
    oddValue,
  ),
  params: fc.oneof(params, oddValue),
  result: oddValue,
  error: oddValue,
}, { requiredKeys: [] });

const message: fc.Arbitrary<object> = fc.oneof({ weight: 3, arbitrary: request }, oddMessage);

/** Bytes in a line, without the line feed. */
export const clientFrame: fc.Arbitrary<Uint8Array<ArrayBuffer>> = bytesOf(message);

/** Bytes in a server's response. The placeholder `"$id"` is replaced with the request id. */
export const serverFrame: fc.Arbitrary<Uint8Array<ArrayBuffer>> = bytesOf(
  fc.record({
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant("2.0") }, oddValue),
    id: fc.oneof({ weight: 6, arbitrary: fc.constant("$id") }, oddValue),
    result: fc.oneof(
      fc.record({
        resultType: fc.constantFrom("complete", "input_required", "task", "odd"),
        content: fc.oneof(
          fc.array(fc.record({ type: fc.constantFrom("text", "image", "odd"), text: oddValue })),
          oddValue,
        ),
        structuredContent: oddValue,
        isError: oddValue,
        inputRequests: fc.oneof(fc.dictionary(fc.string(), oddValue), oddValue),
        requestState: oddValue,
        _meta: oddValue,
      }, { requiredKeys: [] }),
      oddValue,
    ),
    error: fc.oneof(
      fc.record({ code: oddValue, message: oddValue, data: oddValue }, { requiredKeys: [] }),
      oddValue,
    ),
    method: fc.constantFrom(
      "ping",
      "roots/list",
      "sampling/createMessage",
      "notifications/message",
      "notifications/progress",
      "notifications/tools/list_changed",
      "odd",
    ),
    params: oddValue,
  }, { requiredKeys: ["jsonrpc"] }),
);

/** Splits bytes at up to four positions, within every multi-byte character, or after every byte. */
export function cut(bytes: Uint8Array<ArrayBuffer>): fc.Arbitrary<Cut> {
  const few = fc.array(fc.nat({ max: bytes.length }), { maxLength: 4 })
    .map((at) => at.toSorted((a, b) => a - b));
  const every = [...bytes.keys()];
  const inCharacters = every.filter((place) => ((bytes[place] ?? 0) & 0xc0) === 0x80);
  const places = fc.oneof(
    { weight: 20, arbitrary: few },
    { weight: 5, arbitrary: fc.constant(inCharacters) },
    { weight: 1, arbitrary: fc.constant(every) },
  );
  return places.map((at) => ({ bytes, at }));
}

/** Returns the bytes as chunks, split at the given offsets. */
export function* pieces({ bytes, at }: Cut): Generator<Uint8Array<ArrayBuffer>> {
  const ends = [...at, bytes.length];
  let start = 0;
  for (const end of ends) {
    if (end > start) yield bytes.slice(start, end);
    start = end;
  }
}

/** Returns the chunks as a stream, for use as a request or response body. */
export function streamOf(cut: Cut): ReadableStream<Uint8Array<ArrayBuffer>> {
  const parts = pieces(cut);
  return new ReadableStream({
    pull: (controller) => {
      const { done, value } = parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** Expected number and id of the responses to a line. */
export interface Debt {
  readonly least: 0 | 1;
  readonly most: 0 | 1;
  readonly id?: string | number;
}

/**
 * Returns the expected responses to a line, based on a minimal implementation of JSON-RPC 2.0 and
 * MCP.
 */
export function debtOf(bytes: Uint8Array): Debt {
  const text = new TextDecoder().decode(bytes);
  if (text.replace(/\r$/, "") === "") return { least: 0, most: 0 };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { least: 1, most: 1 };
  }
  if (decodeUtf8(bytes) === undefined) return { least: 0, most: 1 };
  if (typeof value !== "object" || value === null) return { least: 1, most: 1 };
  const { jsonrpc, id, method, params }: Record<string, unknown> = { ...value };
  const isRequest = jsonrpc === "2.0" && typeof method === "string" &&
    !("result" in value) && !("error" in value) &&
    (params === undefined || (typeof params === "object" && params !== null));
  if (isRequest && (typeof id === "string" || Number.isSafeInteger(id))) {
    return { least: 1, most: 1, id: id as string | number };
  }
  if (isRequest && !("id" in value)) return { least: 0, most: 0 };
  return { least: 0, most: 1 };
}

/** Encodes a value, then changes some of the bytes or replaces all of them with random bytes. */
function bytesOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const whole = value.map((each) => new TextEncoder().encode(JSON.stringify(each)));
  const edit = fc.tuple(fc.nat({ max: 4000 }), fc.nat({ max: 255 }));
  const mutated = fc.tuple(whole, fc.array(edit, { minLength: 1, maxLength: 3 })).map(mutate);
  const noise = fc.uint8Array({ maxLength: 60 }).map((bytes) => new Uint8Array(bytes));
  return fc.oneof(
    { weight: 6, arbitrary: whole },
    { weight: 3, arbitrary: mutated },
    { weight: 1, arbitrary: noise },
  ).map((bytes) => bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d));
}

function mutate(
  [bytes, edits]: [Uint8Array<ArrayBuffer>, readonly (readonly [number, number])[]],
): Uint8Array<ArrayBuffer> {
  const all = [...bytes];
  for (const [place, byte] of edits) {
    const at = place % (all.length + 1);
    // Change, insert or delete a byte with equal probability.
    all.splice(at, byte % 3 === 0 ? 0 : 1, ...(byte % 3 === 1 ? [] : [byte]));
  }
  return new Uint8Array(all);
}
