/**
 * Rules on the HTTP requests of clients.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import { type Dialogue, metaOf, paramsOf, type WireObject } from "./dialogue.ts";
import type { HttpFacts } from "./http_facts.ts";
import type { RecordProblems } from "./message_rules.ts";

const MODERN = "2026-07-28";
/** First version that requires the header of the protocol version. */
const FIRST_WITH_HEADER = "2025-06-18";
/** Path of the kit's MCP endpoint. Requests to other paths belong to other protocols. */
const ENDPOINT = "/mcp";
const VERSION = "io.modelcontextprotocol/protocolVersion";

/** Parameter that the header `Mcp-Name` repeats, keyed by method. */
const NAMES: ReadonlyMap<unknown, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** Checks the headers of a client's request to the MCP endpoint. */
export function checkRequestHead(
  exchange: HttpFacts,
  dialogue: Dialogue,
  record: RecordProblems,
): void {
  const { method, path } = exchange.request;
  if (path.split("?", 1)[0] !== ENDPOINT) return;
  if (method === "GET") record("request-headers", findGetProblems(exchange, dialogue));
  if (method !== "POST") return;
  const [message] = Array.isArray(exchange.sent) ? exchange.sent : [exchange.sent];
  if (!isObject(message)) return;
  record("request-headers", [
    ...findContentProblems(exchange),
    ...(isModern(message)
      ? findRoutingProblems(exchange, message)
      : findSessionProblems(exchange, dialogue, message)),
  ]);
}

function findGetProblems(exchange: HttpFacts, dialogue: Dialogue): readonly string[] {
  const { accept = "" } = exchange.request.headers;
  const problems = findSessionProblems(exchange, dialogue);
  if (typesOf(accept).includes("text/event-stream")) return problems;
  return [`the header "Accept: ${accept}" of a GET request`, ...problems];
}

function findContentProblems({ request: { headers }, sent }: HttpFacts): readonly string[] {
  const { accept = "", "content-type": type = "" } = headers;
  const accepted = typesOf(accept);
  const isAccepting = accepted.includes("application/json") &&
    accepted.includes("text/event-stream");
  const isJson = typesOf(type)[0] === "application/json";
  const where = ` of ${show(sent, 100)}`;
  return [
    ...(isAccepting ? [] : [`the header "Accept: ${accept}"${where}`]),
    ...(isJson ? [] : [`the header "Content-Type: ${type}"${where}`]),
  ];
}

/** Finds headers of a modern request that differ from its body. */
function findRoutingProblems(
  { request: { headers } }: HttpFacts,
  message: WireObject,
): readonly string[] {
  if (!("id" in message)) return [];
  const { method } = message;
  const member = NAMES.get(method);
  const expected: readonly (readonly [string, unknown])[] = [
    ["MCP-Protocol-Version", metaOf(message)[VERSION]],
    ["Mcp-Method", method],
    ...(member === undefined ? [] : [["Mcp-Name", paramsOf(message)[member]] as const]),
  ];
  return expected.flatMap(([name, value]) => {
    const sent = headers[name.toLowerCase()];
    const decoded = sent === undefined ? undefined : decodeHeader(sent);
    return decoded === value
      ? []
      : [`the header ${name} is ${show(sent)} instead of ${show(value)}`];
  });
}

/** Finds missing headers of a request that follows the response to `initialize`. */
function findSessionProblems(
  { request: { method, headers } }: HttpFacts,
  { phase, negotiated, session, isDisturbed }: Dialogue,
  message?: WireObject,
): readonly string[] {
  if (isDisturbed) return [];
  if (phase !== "answered" && phase !== "ready") return [];
  if (message?.method === "initialize") return [];
  const what = message === undefined ? method : show(message, 100);
  const version = headers["mcp-protocol-version"];
  const needsVersion = negotiated !== undefined && negotiated >= FIRST_WITH_HEADER;
  const sent = headers["mcp-session-id"];
  return [
    ...(needsVersion && version !== negotiated
      ? [`the header MCP-Protocol-Version is ${show(version)} instead of ${negotiated}: ${what}`]
      : []),
    ...(session !== undefined && sent !== session
      ? [`the header MCP-Session-Id is ${show(sent)} instead of ${session}: ${what}`]
      : []),
  ];
}

function isModern(message: WireObject): boolean {
  const version = metaOf(message)[VERSION];
  return typeof version === "string" && version >= MODERN;
}

/** Returns the media types in a header, in lower case and without parameters. */
function typesOf(header: string): readonly string[] {
  return header.split(",").map((part) => (part.split(";", 1)[0] ?? "").trim().toLowerCase());
}

/** Decodes the base64 form of a header value, which MCP 2026-07-28 defines. */
function decodeHeader(value: string): string {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    // The value is not base64, so it is the text itself.
    return value;
  }
}
