/**
 * Checks third-party clients against a `@parley/mcp` server.
 *
 * @module
 */

import { createServer as createHttpServer } from "node:http";
import { assert, assertEquals } from "@std/assert";
import { toNodeListener } from "@parley/mcp/node";
import { mcpHandler } from "@parley/mcp/server";
import { type Subject, within } from "../check.ts";
import { breakOnce } from "../break_stream.ts";
import { findProcesses, waitUntilGone } from "../processes.ts";
import { createServer } from "../server.ts";
import { connectAiSdk } from "./ai_sdk.ts";
import type { Endpoint, ThirdPartyClient } from "./client.ts";
import { checkFeatures } from "./features.ts";
import { connectOpenAiAgents } from "./openai_agents.ts";
import { connectSdkV1 } from "./sdk_v1.ts";
import { connectSdkV2 } from "./sdk_v2.ts";

/** A third-party client in one era. */
export interface ClientKind {
  readonly name: string;
  /** Expected protocol version. `undefined` if the client does not expose the version. */
  readonly version: string | undefined;
  readonly connect: (
    endpoint: Endpoint,
    fetch?: typeof globalThis.fetch,
  ) => Promise<ThirdPartyClient>;
  /** Whether the client resumes the stream of a request after an interruption. */
  readonly resumes?: boolean;
}

/** All third-party clients. */
export const KINDS: readonly ClientKind[] = [
  {
    name: "@modelcontextprotocol/sdk 1.32.2",
    version: "2025-11-25",
    connect: connectSdkV1,
    resumes: true,
  },
  {
    name: "@modelcontextprotocol/client 2.4.0 legacy",
    version: "2025-11-25",
    connect: (endpoint, fetch) => connectSdkV2(endpoint, "legacy", fetch),
    resumes: true,
  },
  {
    name: "@modelcontextprotocol/client 2.4.0 auto",
    version: "2026-07-28",
    connect: (endpoint) => connectSdkV2(endpoint, "auto"),
  },
  {
    name: "@ai-sdk/mcp 2.0.99 legacy",
    version: "2025-11-25",
    connect: (endpoint) => connectAiSdk(endpoint, false),
  },
  {
    name: "@ai-sdk/mcp 2.0.99 auto",
    version: "2026-07-28",
    connect: (endpoint) => connectAiSdk(endpoint, true),
  },
  {
    name: "@openai/agents 0.20.0",
    version: undefined,
    connect: (endpoint) => connectOpenAiAgents(endpoint),
  },
];

/** Checks for every third-party client with every transport. */
export const CLIENTS: readonly Subject[] = KINDS.flatMap((kind) =>
  [overStdio, overHttp, overNode].map((over) => over(kind))
);

function overStdio({ name, version, connect }: ClientKind): Subject {
  const folder = new URL("..", import.meta.url).pathname;
  const program = `${folder}server.ts`;
  // The server ignores the `name` argument, which distinguishes the process from those of other
  // subjects.
  const args = ["run", "--quiet", "--frozen", `--config=${folder}deno.json`, program, name];
  return {
    name: `${name} > our stdio`,
    run: async (check) => {
      const client = await within(20_000, "connection", connect({ command: "deno", args }));
      const processes = await findProcesses(`${program} ${name}`);
      await check("starts one process", () => assertEquals(processes.length, 1));
      await check("connects", () => assertConnected(client, version));
      await checkFeatures(client, check);
      await check("closes and terminates the process", async () => {
        const started = performance.now();
        await client.close();
        await waitUntilGone(processes);
        // Clients kill a server process that has not exited after 2 seconds.
        assert(performance.now() - started < 1500, "The server process was killed");
      });
    },
  };
}

interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

function overHttp(kind: ClientKind): Subject {
  return overWeb(kind, "our HTTP", (handler) => {
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    const http = Deno.serve(options, (request) => handler(request));
    return Promise.resolve({ port: http.addr.port, close: () => http.shutdown() });
  });
}

function overNode(kind: ClientKind): Subject {
  return overWeb(kind, "our node:http", async (handler) => {
    const http = createHttpServer(toNodeListener(handler));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const address = http.address();
    assert(typeof address === "object" && address !== null);
    const close = (): Promise<void> =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
    return { port: address.port, close };
  });
}

function overWeb(
  { name, version, connect, resumes = false }: ClientKind,
  way: string,
  listen: (handler: ReturnType<typeof mcpHandler>) => Promise<Listening>,
): Subject {
  return {
    name: `${name} > ${way}`,
    run: async (check) => {
      const handler = mcpHandler(createServer(), { sessions: { retryMs: 50 } });
      const { port, close } = await listen(handler);
      const url = `http://127.0.0.1:${port}/mcp`;
      try {
        const client = await within(10_000, "connection", connect({ url }));
        await check("connects", () => assertConnected(client, version));
        await checkFeatures(client, check);
        await check("closes", () => client.close());
        if (resumes) {
          await check(
            "an interrupted stream is resumed",
            () => assertResumes((fetch) => connect({ url }, fetch)),
          );
        }
      } finally {
        await check("the server closes", async () => {
          await handler.close();
          await close();
        });
      }
    },
  };
}

/** Asserts that no notification is lost or duplicated when the stream of a call is interrupted. */
async function assertResumes(
  connect: (fetch: typeof globalThis.fetch) => Promise<ThirdPartyClient>,
): Promise<void> {
  const { fetch, breaks } = breakOnce(globalThis.fetch, (body) => body.includes('"report"'));
  const client = await connect(fetch);
  const received: unknown[] = [];
  const { content } = await client.callTool("report", {}, {
    progress: (update) => received.push(Object(update).progress),
  });
  assertEquals([breaks(), received, content[0]?.text], [1, [1, 2, 3], "reported"]);
  await client.close();
}

function assertConnected(client: ThirdPartyClient, version: string | undefined): void {
  assertEquals(client.version, version);
  if (client.server !== undefined) assertEquals(client.server, "parley-interop");
}
