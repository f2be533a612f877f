/**
 * The hand-made server: the shortest code that performs the checks which the modern Streamable HTTP
 * transport requires for a tool call. The code is specific to the tool of the benchmark.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http Streamable HTTP}
 * @module
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fetch, Sum, ZodSchema } from "./peers.ts";
import { INFO } from "./tool.ts";

/** Implementation of the tool, or a promise for its result. */
type Tool = (sum: Sum) => object | Promise<object>;

/** Headers of a request. */
interface RequestHeaders {
  readonly get: (name: string) => string | null;
  /** Returns `true` if the name of a header has a prefix. */
  readonly hasPrefix: (prefix: string) => boolean;
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

/** A request, of which only the shape of the JSON is known. */
interface Call {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly arguments?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

const VERSION = "2026-07-28";
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
const DECODER = new TextDecoder("utf-8", { fatal: true });
const MAX_BYTES = 4 * 1024 * 1024;
const META = { "io.modelcontextprotocol/serverInfo": INFO };
const JSON_HEADERS = { "content-type": "application/json" };

/** Creates the `fetch` handler. */
export function handMadeFetch(schema: ZodSchema, tool: Tool): Fetch {
  return async (request) => {
    const headers: RequestHeaders = {
      get: (name) => request.headers.get(name),
      hasPrefix: (prefix) => {
        for (const [name] of request.headers) if (name.startsWith(prefix)) return true;
        return false;
      },
    };
    const { status, body } = checkHead(headers) ??
      await respond(headers, new Uint8Array(await request.arrayBuffer()), { schema, tool });
    return new Response(body, { status, headers: JSON_HEADERS });
  };
}

/** Creates the `node:http` listener. */
export function handMadeListener(
  schema: ZodSchema,
  tool: Tool,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => {
    const headers: RequestHeaders = {
      get: (name) => {
        const value = incoming.headers[name];
        return typeof value === "string" ? value : null;
      },
      hasPrefix: (prefix) => {
        for (const name in incoming.headers) if (name.startsWith(prefix)) return true;
        return false;
      },
    };
    const send = ({ status, body }: Reply): void => {
      const length = Buffer.byteLength(body);
      outgoing.writeHead(status, { ...JSON_HEADERS, "content-length": length }).end(body);
    };
    const rejection = checkHead(headers);
    if (rejection !== undefined) return send(rejection);
    const chunks: Uint8Array[] = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      respond(headers, Buffer.concat(chunks), { schema, tool }).then(send);
    });
  };
}

/** Checks the headers that do not depend on the body. */
function checkHead({ get }: RequestHeaders): Reply | undefined {
  const host = get("host") ?? "";
  const colon = host.lastIndexOf(":");
  if (!LOOPBACK.has(colon === -1 ? host : host.slice(0, colon))) return fail(403, -32000);
  if (get("origin") !== null) return fail(403, -32000);
  const accept = get("accept");
  if (accept?.includes("application/json") === false) return fail(406, -32000);
  if (get("content-type")?.startsWith("application/json") !== true) return fail(415, -32000);
  return Number(get("content-length") ?? Infinity) <= MAX_BYTES ? undefined : fail(413, -32000);
}

/** Checks the body, calls the tool and returns the result. */
async function respond(
  { get, hasPrefix }: RequestHeaders,
  bytes: Uint8Array,
  { schema, tool }: { readonly schema: ZodSchema; readonly tool: Tool },
): Promise<Reply> {
  let call: Call;
  try {
    call = JSON.parse(DECODER.decode(bytes));
  } catch {
    return fail(400, -32700);
  }
  if (typeof call !== "object" || call === null) return fail(400, -32600);
  const { jsonrpc, id, method, params } = call;
  if (jsonrpc !== "2.0" || typeof method !== "string") return fail(400, -32600);
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return fail(400, -32600);
  const meta = params?._meta;
  const capabilities = meta?.["io.modelcontextprotocol/clientCapabilities"];
  if (typeof capabilities !== "object" || capabilities === null) return fail(400, -32602, id);
  const version = meta?.["io.modelcontextprotocol/protocolVersion"];
  if (version !== VERSION || get("mcp-protocol-version") !== VERSION) return fail(400, -32001, id);
  if (get("mcp-method") !== method) return fail(400, -32001, id);
  if (method !== "tools/call") return fail(404, -32601, id);
  if (get("mcp-name") !== params?.name) return fail(400, -32001, id);
  // The tool has no arguments that headers mirror.
  if (hasPrefix("mcp-param-")) return fail(400, -32001, id);
  if (params?.name !== "add") return fail(200, -32602, id);
  const checked = schema["~standard"].validate(params.arguments ?? {});
  if (checked.issues !== undefined) return succeed(id, { isError: true, content: [] });
  const returned = tool(checked.value);
  return succeed(id, returned instanceof Promise ? await returned : returned);
}

function succeed(id: unknown, returned: object): Reply {
  const result = { resultType: "complete", ...returned, _meta: META };
  return { status: 200, body: JSON.stringify({ jsonrpc: "2.0", id, result }) };
}

function fail(status: number, code: number, id: unknown = null): Reply {
  const error = { code, message: "Invalid request" };
  return { status, body: JSON.stringify({ jsonrpc: "2.0", id, error }) };
}
