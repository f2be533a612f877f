/**
 * Serves the public card of an agent.
 *
 * @module
 */

import { assertFunction, assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import { asRecord, defined } from "@parley/internal/json";
import { integerFrom } from "@parley/internal/option-checks";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { InvalidMember } from "@parley/internal/proto-json";
import { digestOfJson } from "../loop/decisions.ts";
import { assertBaseUrl } from "../models/endpoint.ts";
import type { JsonObject } from "../shared/json.ts";
import type { AgentCard, AgentCardSignature } from "./agent_card.ts";
import { findUnknownMember, readAgentCard, toCanonicalCard } from "./read_card.ts";
import { A2A_VERSION, type AgentCapabilities } from "./types.ts";

/** The part of an agent card that does not follow from the endpoint. */
export interface AgentDescription extends
  Omit<
    AgentCard,
    | "capabilities"
    | "defaultInputModes"
    | "defaultOutputModes"
    | "signatures"
    | "supportedInterfaces"
  > {
  /** Media types that all skills accept. If omitted, those that the endpoint accepts. */
  readonly defaultInputModes?: readonly string[];
  /** Media types that all skills produce. If omitted, those that the endpoint produces. */
  readonly defaultOutputModes?: readonly string[];
}

/** Options for {@linkcode agentCardHandler}. */
export interface AgentCardHandlerOptions {
  /** URL of the endpoint that serves the agent. */
  readonly url: string;
  /** The endpoint, as `a2aHandler` returns it. The card declares what it supports. */
  readonly handler: {
    /** Optional features that the endpoint supports. */
    readonly capabilities: AgentCapabilities;
    /** Media types that the endpoint accepts. If omitted, text and JSON. */
    readonly inputModes?: readonly string[];
    /** Media types that the endpoint produces. If omitted, text and JSON. */
    readonly outputModes?: readonly string[];
  };
  /**
   * Time for which clients may use the card without asking again, in seconds.
   *
   * @default {300}
   */
  readonly maxAgeSeconds?: number;
  /**
   * Signs the card when the handler is created. Receives the content that is signed, for example
   * for `signJson` from `@parley/comm/jws`. If omitted, the card is not signed.
   */
  readonly sign?: (canonicalCard: JsonObject) => AgentCardSignature | Promise<AgentCardSignature>;
}

const MODES: readonly string[] = ["text/plain", "application/json"];

const readOptions = optionsReader<AgentCardHandlerOptions>("options")({
  url: required(assertBaseUrl),
  // The endpoint is a function.
  handler: required((name, value) => {
    assertRecord(`${name}.capabilities`, asRecord(value).capabilities);
  }),
  maxAgeSeconds: withDefault(300, integerFrom(0)),
  sign: assertFunction,
});

/**
 * Creates a handler that serves the public card of an agent, normally at
 * {@linkcode AGENT_CARD_PATH}. It is a separate handler because the card must be readable without a
 * token.
 *
 * The card declares one endpoint with the bindings JSON-RPC and HTTP+JSON, and the capabilities of
 * the endpoint. Responses have a strong `ETag` and allow pages of every origin to read the card.
 *
 * @param card Name, description, version, skills and security of the agent.
 * @param options URL and capabilities of the endpoint, maximum age, and a signing function.
 * @throws {TypeError} If the card is not valid, has a member that the protocol does not define, or
 * a required member is empty, or if the signing function does not return a signature.
 * @throws The error of the signing function.
 * @see https://a2a-protocol.org/latest/specification/#8-agent-discovery-the-agent-card
 *
 * @example Serve a card
 * ```ts
 * import { agentCardHandler } from "@parley/runtime/a2a";
 * import { assertEquals } from "@std/assert";
 *
 * const handler = { capabilities: { streaming: true } }; // normally a2aHandler(agent)
 * const serveCard = await agentCardHandler({
 *   name: "oracle",
 *   description: "Answers difficult questions",
 *   version: "1.0.0",
 *   skills: [{ id: "answer", name: "Answer", description: "Answers a question", tags: ["math"] }],
 * }, { url: "https://oracle.example/a2a", handler });
 *
 * const url = "https://oracle.example/.well-known/agent-card.json";
 * const card = await (await serveCard(new Request(url))).json();
 * assertEquals(card.capabilities, { streaming: true });
 * assertEquals(card.supportedInterfaces[0], {
 *   url: "https://oracle.example/a2a",
 *   protocolBinding: "JSONRPC",
 *   protocolVersion: "1.0",
 * });
 * ```
 */
export async function agentCardHandler(
  card: AgentDescription,
  options: AgentCardHandlerOptions,
): Promise<(request: Request) => Promise<Response>> {
  const { handler, maxAgeSeconds, sign, url } = readOptions(options);
  const content = completeCard(card, { url, handler });
  const signed = sign === undefined
    ? content
    : withSignature(content, await sign(toCanonicalCard(content)));
  const body = JSON.stringify(signed);
  const headers = {
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "etag",
    "cache-control": `public, max-age=${maxAgeSeconds}`,
    "etag": `"${await digestOfJson(body)}"`,
  };
  return (request) => Promise.resolve(respond(request, { body, headers }));
}

/** Adds the endpoint and its capabilities to the card of an application. */
function completeCard(
  card: AgentDescription,
  { handler, url }: Pick<AgentCardHandlerOptions, "handler" | "url">,
): AgentCard {
  assertRecord("card", card);
  const { capabilities, inputModes = MODES, outputModes = MODES } = handler;
  const complete = {
    defaultInputModes: inputModes,
    defaultOutputModes: outputModes,
    ...defined(card),
    supportedInterfaces: ["JSONRPC", "HTTP+JSON"].map((protocolBinding) => ({
      url,
      protocolBinding,
      protocolVersion: A2A_VERSION,
    })),
    capabilities,
  };
  const content = withTypeError(() => readAgentCard(complete));
  const unknown = findUnknownMember(complete);
  if (unknown !== undefined) {
    throw new TypeError(`"${unknown}" must be a member that the protocol defines`);
  }
  assertNotEmpty("card", content, ["name", "description", "version", "skills"]);
  for (const [index, skill] of content.skills.entries()) {
    assertNotEmpty(`card.skills[${index}]`, skill, ["id", "name", "description", "tags"]);
  }
  return content;
}

/**
 * Throws if a required member is empty. The reader accepts such members in the cards of others.
 *
 * @see https://a2a-protocol.org/latest/specification/#57-field-presence-and-optionality
 */
function assertNotEmpty<Message extends object>(
  at: string,
  message: Message,
  names: readonly (string & keyof Message)[],
): void {
  for (const name of names) {
    const value = message[name];
    if (value === "" || Array.isArray(value) && value.length === 0) {
      rejectArgument(`${at}.${name}`, "a non-empty string or array", value);
    }
  }
}

function withSignature(content: AgentCard, signature: AgentCardSignature): AgentCard {
  const { signatures = [] } = withTypeError(() =>
    readAgentCard({ ...content, signatures: [signature] })
  );
  if (signatures.some((each) => each.protected === "" || each.signature === "")) {
    throw new TypeError('"sign" must return an object with "protected" and "signature"');
  }
  return { ...content, signatures };
}

function withTypeError(read: () => AgentCard): AgentCard {
  try {
    return read();
  } catch (error) {
    throw error instanceof InvalidMember ? new TypeError(error.message) : error;
  }
}

/** The card as it is served. */
interface ServedCard {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>> & { readonly etag: string };
}

function respond(request: Request, { body, headers }: ServedCard): Response {
  switch (request.method) {
    case "GET":
    case "HEAD": {
      if (isCached(request.headers.get("if-none-match"), headers.etag)) {
        return new Response(null, { status: 304, headers });
      }
      const content = request.method === "GET" ? body : null;
      return new Response(content, { headers: { ...headers, "content-type": "application/json" } });
    }
    case "OPTIONS":
      return new Response(null, { status: 204, headers: PREFLIGHT_HEADERS });
    default:
      return new Response(null, { status: 405, headers: { allow: METHODS } });
  }
}

const METHODS = "GET, HEAD, OPTIONS";

/** Pages send the version of the protocol, and some send credentials. */
const PREFLIGHT_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": METHODS,
  "access-control-allow-headers": "*, authorization",
  "access-control-max-age": "86400",
};

/**
 * Returns `true` if a client already has the card.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
function isCached(ifNoneMatch: string | null, etag: string): boolean {
  const tags = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
