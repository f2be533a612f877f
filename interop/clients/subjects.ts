/**
 * Clients that others wrote, against a server of `@parley/mcp`.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { mcpHandler } from "@parley/mcp/server";
import { type Subject, within } from "../check.ts";
import { findProcesses, waitUntilGone } from "../processes.ts";
import { createServer } from "../server.ts";
import { connectAiSdk } from "./ai_sdk.ts";
import type { ForeignClient, Way } from "./client.ts";
import { checkFeatures } from "./features.ts";
import { connectOpenAiAgents } from "./openai_agents.ts";
import { connectSdkV1 } from "./sdk_v1.ts";
import { connectSdkV2 } from "./sdk_v2.ts";

interface ClientKind {
  readonly name: string;
  /** The version of the protocol that it is to speak; undefined when it does not tell. */
  readonly version: string | undefined;
  readonly connect: (way: Way) => Promise<ForeignClient>;
}

const KINDS: readonly ClientKind[] = [
  { name: "@modelcontextprotocol/sdk 1.32.2", version: "2025-11-25", connect: connectSdkV1 },
  {
    name: "@modelcontextprotocol/client 2.4.0 legacy",
    version: "2025-11-25",
    connect: (way) => connectSdkV2(way, "legacy"),
  },
  {
    name: "@modelcontextprotocol/client 2.4.0 auto",
    version: "2026-07-28",
    connect: (way) => connectSdkV2(way, "auto"),
  },
  {
    name: "@ai-sdk/mcp 2.0.99 legacy",
    version: "2025-11-25",
    connect: (way) => connectAiSdk(way, false),
  },
  {
    name: "@ai-sdk/mcp 2.0.99 auto",
    version: "2026-07-28",
    connect: (way) => connectAiSdk(way, true),
  },
  { name: "@openai/agents 0.20.0", version: undefined, connect: connectOpenAiAgents },
];

/** Every client over every way. */
export const CLIENTS: readonly Subject[] = KINDS.flatMap((
  kind,
) => [overStdio(kind), overHttp(kind)]);

function overStdio({ name, version, connect }: ClientKind): Subject {
  const folder = new URL("..", import.meta.url).pathname;
  const program = `${folder}server.ts`;
  const args = ["run", "--quiet", "--frozen", `--config=${folder}deno.json`, program];
  return {
    name: `${name} > our stdio`,
    run: async (check) => {
      const client = await within(20_000, "connecting", connect({ command: "deno", args }));
      const processes = await findProcesses(program);
      await check("starts one process", () => assertEquals(processes.length, 1));
      await check("connects", () => assertConnected(client, version));
      await checkFeatures(client, check);
      await check("closes, and leaves no process", async () => {
        await client.close();
        await waitUntilGone(processes);
      });
    },
  };
}

function overHttp({ name, version, connect }: ClientKind): Subject {
  return {
    name: `${name} > our HTTP`,
    run: async (check) => {
      const handler = mcpHandler(createServer(), { sessions: { retryMs: 50 } });
      const http = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        (request) => handler(request),
      );
      const url = `http://127.0.0.1:${http.addr.port}/mcp`;
      try {
        const client = await within(10_000, "connecting", connect({ url }));
        await check("connects", () => assertConnected(client, version));
        await checkFeatures(client, check);
        await check("closes", () => client.close());
      } finally {
        await check("the server ends", async () => {
          await handler.close();
          await http.shutdown();
        });
      }
    },
  };
}

function assertConnected(client: ForeignClient, version: string | undefined): void {
  assertEquals(client.version, version);
  if (client.server !== undefined) assertEquals(client.server, "parley-interop");
}
