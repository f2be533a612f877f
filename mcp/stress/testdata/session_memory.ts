/**
 * A program in which many sessions each try to store up to 4 MiB on a server. The program prints
 * the growth in memory usage, in bytes, as JSON. The argument selects the requests that the
 * sessions send. Requires `--v8-flags=--expose-gc`.
 *
 * @module
 */

import { mcpHandler, McpServer } from "../../server.ts";
import { eventsOf, modern, post, SessionByHand } from "../../testdata/http.ts";
import { meta } from "../../testdata/pipes.ts";
import { memoryUsed } from "./memory_used.ts";

/** Length of a request, which is just below the default `maxBodyBytes`. */
const CHARS = 4 * 1024 * 1024 - 1000;

const server = new McpServer({ name: "s", version: "1" });
server.registerTool({ name: "echo", description: "" }, ({ text }) => `${text}`);
server.registerResource({ name: "r", uri: "r:1" }, () => "");
const handler = mcpHandler(server);

async function initialize(capabilities: string, name = "c"): Promise<void> {
  const clientInfo = JSON.stringify({ name, version: "1" });
  const params =
    `{"protocolVersion":"2025-11-25","capabilities":${capabilities},"clientInfo":${clientInfo}}`;
  const response = await handler(
    post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":${params}}`),
  );
  await response.text();
}

/**
 * Returns capabilities with nested arrays, whose parsed form takes 14 times as much memory as their
 * text.
 */
function arrays(count: number): string {
  return `{"experimental":{"x":{"y":[${"[],".repeat(count)}[]]}}}`;
}

async function subscribe(uris: readonly string[]): Promise<void> {
  const session = await SessionByHand.open(handler);
  for (const uri of uris) {
    const params = { uri };
    const request = { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params };
    await (await session.send(request)).text();
  }
}

/**
 * Reads a long response as an SSE stream, so that the session stores the response for resumption.
 */
async function echo(number: number): Promise<void> {
  const session = await SessionByHand.open(handler);
  const params = { name: "echo", arguments: { text: `${number}`.padEnd(CHARS, "x") } };
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const response = await session.send(request, { accept: "text/event-stream" });
  await Array.fromAsync(eventsOf(response));
}

/** Opens subscription streams of protocol version 2026-07-28, which remain open. */
async function listen(number: number): Promise<void> {
  const resourceSubscriptions = uris(number, 500);
  const params = { notifications: { resourceSubscriptions }, _meta: meta() };
  const response = await handler(modern("subscriptions/listen", params));
  OPEN.push(response);
}

const OPEN: Response[] = [];

function uris(session: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `r:${session}:${index}:`.padEnd(8000, "x"));
}

interface Attack {
  readonly sessions: number;
  readonly run: (session: number) => Promise<void>;
}

const ATTACKS: ReadonlyMap<string, Attack> = new Map([
  ["client names", {
    sessions: 100,
    run: (session) => initialize("{}", `${session}`.padEnd(CHARS - 1000, "x")),
  }],
  // The server takes half a second to parse each request.
  ["capabilities of nested arrays", {
    sessions: 10,
    run: () => initialize(arrays(Math.floor(CHARS / 3) - 100)),
  }],
  ["capabilities below the limit", { sessions: 300, run: () => initialize(arrays(21_000)) }],
  ["long URIs", {
    sessions: 100,
    run: (session) => subscribe([`r:${session}`.padEnd(CHARS, "x")]),
  }],
  ["many URIs", { sessions: 100, run: (session) => subscribe(uris(session, 250)) }],
  ["responses", { sessions: 100, run: echo }],
  ["subscription streams", { sessions: 100, run: listen }],
]);

const attack = ATTACKS.get(Deno.args[0] ?? "");
if (attack === undefined) throw new Error(`Unknown attack; available: ${[...ATTACKS.keys()]}`);
const before = await memoryUsed();
for (let session = 0; session < attack.sessions; session++) await attack.run(session);
const grown = await memoryUsed() - before;
await handler.close();
for (const { body } of OPEN) await body?.cancel();
await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify({ grown })}\n`));
