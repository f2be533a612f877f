/**
 * HTTP clients that call the same tool.
 *
 * @module
 */

import { loadPeer, type SdkClientClass, type SdkTransport } from "./peers.ts";
import type { Commands } from "./child_protocol.ts";
import { callHeaders, callText, INFO } from "./tool.ts";

/** Calls the tool once. Returns the text of the result. */
type Call = (a: number) => Promise<string | undefined>;

type Connect = (url: string) => Promise<Call>;

const SUBJECTS: Readonly<Record<string, Connect>> = {
  fetch: connectFetch,
  parley: connectParley,
  "sdk-v1": async (url) => {
    const { StreamableHTTPClientTransport: Transport } = await loadPeer(
      "@modelcontextprotocol/sdk/client/streamableHttp.js",
    );
    const { Client } = await loadPeer("@modelcontextprotocol/sdk/client/index.js");
    return await connectSdk(Client, new Transport(new URL(url)));
  },
  "sdk-v2": (url) => connectV2(url, "auto"),
  "sdk-v2-2025": (url) => connectV2(url, "legacy"),
};

/** Runs a client that calls the server on a loopback port. */
export async function callHttp(subject: string, port: number): Promise<Commands> {
  const connect = SUBJECTS[subject];
  if (connect === undefined) throw new RangeError(`Unknown client "${subject}"`);
  const call = await connect(`http://127.0.0.1:${port}/mcp`);
  return { run: (count) => run(call, Number(count)) };
}

async function run(call: Call, count: number): Promise<void> {
  for (let a = 0; a < count; a++) {
    if (await call(a) !== String(a + 2)) {
      throw new Error("Cannot measure: a call returned a wrong result");
    }
  }
}

/** Creates the minimal client, which sends one POST request per call. */
function connectFetch(url: string): Promise<Call> {
  const headers = callHeaders("2026-07-28");
  return Promise.resolve(async (a) => {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: callText(a, "2026-07-28"),
    });
    return (await response.json()).result.content[0].text;
  });
}

async function connectParley(url: string): Promise<Call> {
  const { McpClient } = await import("@parley/mcp/client");
  const client = new McpClient({ transport: { type: "http", url }, clientInfo: INFO });
  await client.connect();
  return async (a) => {
    const { content: [block] } = await client.callTool("add", { a, b: 2 });
    return block?.type === "text" ? block.text : undefined;
  };
}

async function connectV2(url: string, mode: "auto" | "legacy"): Promise<Call> {
  const { Client, StreamableHTTPClientTransport } = await loadPeer("@modelcontextprotocol/client");
  const transport = new StreamableHTTPClientTransport(new URL(url));
  return await connectSdk(Client, transport, { versionNegotiation: { mode } });
}

async function connectSdk(
  Client: SdkClientClass,
  transport: SdkTransport,
  options: object = {},
): Promise<Call> {
  const client = new Client(INFO, options);
  await client.connect(transport);
  return async (a) => {
    const { content } = await client.callTool({ name: "add", arguments: { a, b: 2 } });
    return content[0]?.text;
  };
}
