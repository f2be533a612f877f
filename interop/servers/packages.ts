/**
 * Servers that are published as packages.
 *
 * @module
 */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, assertEquals } from "@std/assert";
import { HttpTransport, SseTransport } from "@parley/mcp/client";
import { breakOnce } from "../break_stream.ts";
import { checkEverything } from "./everything.ts";
import {
  assertMcpError,
  type ConnectedServer,
  createClient,
  denoRun,
  type Opened,
  openHttpProcess,
  process,
  programPath,
  type ServerKind,
  textOf,
} from "./server.ts";

const EVERYTHING = "npm:@modelcontextprotocol/server-everything@2026.8.31";
const FILESYSTEM = "npm:@modelcontextprotocol/server-filesystem@2026.8.31";
const MEMORY = "npm:@modelcontextprotocol/server-memory@2026.8.31";
const KUBERNETES = ["-y", "--prefer-offline", "kubernetes-mcp-server@0.0.67"];

/** Checks for servers that are published as packages. */
export const PACKAGES: readonly ServerKind[] = [
  {
    name: "server-everything 2026.8.31, stdio",
    open: process("deno", denoRun(EVERYTHING, "stdio")),
    version: "2025-11-25",
    checks: checkEverything,
  },
  {
    name: "server-everything 2026.8.31, Streamable HTTP",
    open: () => openEverything("streamableHttp", "/mcp", (url) => new HttpTransport(url)),
    version: "2025-11-25",
    checks: async (connected) => {
      await checkEverything(connected);
      await checkBrokenStream(connected);
    },
  },
  {
    name: "server-everything 2026.8.31, HTTP+SSE",
    open: () => openEverything("sse", "/sse", (url) => new SseTransport(url)),
    version: "2025-11-25",
    checks: checkEverything,
  },
  filesystem(),
  memory(),
  {
    name: "kubernetes-mcp-server 0.0.67, stdio, auto",
    open: process("npx", [...KUBERNETES, ...kubeconfig()]),
    version: "2026-07-28",
    checks: checkKubernetes,
  },
  {
    name: "kubernetes-mcp-server 0.0.67, stdio, legacy",
    open: process("npx", [...KUBERNETES, ...kubeconfig()]),
    protocol: "legacy",
    version: "2025-11-25",
    checks: checkKubernetes,
  },
  {
    // With sessions, the `server/discover` response of this server lists only protocol versions
    // that have sessions.
    name: "kubernetes-mcp-server 0.0.67, HTTP, auto, sessions",
    open: () => openKubernetes(),
    version: "2025-11-25",
    checks: async (connected) => {
      await checkKubernetes(connected);
      await checkDeletedSession(connected);
    },
  },
  {
    name: "kubernetes-mcp-server 0.0.67, HTTP, auto, stateless",
    open: () => openKubernetes("--stateless"),
    version: "2026-07-28",
    checks: checkKubernetes,
  },
];

function openEverything(
  mode: string,
  path: string,
  toTransport: (url: string) => HttpTransport | SseTransport,
): Promise<Opened> {
  const args = denoRun(`--preload=${programPath("loopback")}`, EVERYTHING, mode);
  return openHttpProcess("deno", args, toTransport, { path });
}

/** Returns a path for a temporary file or folder that does not exist yet. */
function temporaryPath(name: string): string {
  return join(tmpdir(), `parley-interop-${Deno.pid}-${name}`);
}

function filesystem(): ServerKind {
  const folder = temporaryPath("files");
  return {
    name: "server-filesystem 2026.8.31, stdio",
    open: () => {
      Deno.mkdirSync(folder);
      const opened = process("deno", denoRun(FILESYSTEM, folder))();
      return { ...opened, close: () => Deno.remove(folder, { recursive: true }).catch(() => {}) };
    },
    root: `file://${folder}`,
    version: "2025-11-25",
    checks: (connected) => checkFilesystem(connected, folder),
  };
}

async function checkFilesystem({ client, check }: ConnectedServer, folder: string): Promise<void> {
  await check("listTools", async () => assertEquals((await client.listTools()).length, 14));
  await check("callTool, writes and reads a file", async () => {
    const path = `${folder}/note.txt`;
    const content = "Zoë 🦜\n".repeat(20_000);
    await client.callTool("write_file", { path, content });
    assertEquals(await textOf(client.callTool("read_text_file", { path })), content);
    assertEquals(await Deno.readTextFile(path), content);
  });
  await check("callTool, a path outside the folder", async () => {
    const { isError } = await client.callTool("read_text_file", { path: "/etc/hostname" });
    assertEquals(isError, true);
  });
  await check(
    "callTool, invalid arguments",
    async () => assertEquals((await client.callTool("read_text_file", {})).isError, true),
  );
  await check(
    "callTool, an unknown tool",
    async () => assertEquals((await client.callTool("no_such_tool", {})).isError, true),
  );
  await check("lists of undeclared capabilities", async () => {
    assertEquals(await client.listResources(), []);
    assertEquals(await client.listPrompts(), []);
    await assertMcpError(client.getPrompt("any"), "protocol_error");
  });
}

function memory(): ServerKind {
  const file = temporaryPath("memory.jsonl");
  const open = process("deno", denoRun(MEMORY), { MEMORY_FILE_PATH: file });
  return {
    name: "server-memory 2026.8.31, stdio",
    open: () => ({ ...open(), close: () => Deno.remove(file).catch(() => {}) }),
    version: "2025-11-25",
    checks: async (connected) => {
      await checkMemory(connected);
      await checkPinnedVersions(connected, open);
    },
  };
}

async function checkMemory({ client, check }: ConnectedServer): Promise<void> {
  await check("listTools, listResources", async () => {
    assertEquals((await client.listTools()).length, 9);
    const [resource] = await client.listResources();
    assertEquals(resource?.uri, "memory://knowledge-graph");
  });
  await check("callTool, structured content", async () => {
    const entities = [{ name: "Ada", entityType: "person", observations: ["writes programs"] }];
    await client.callTool("create_entities", { entities });
    const { structuredContent } = await client.callTool("search_nodes", { query: "programs" });
    assertEquals(Object(structuredContent).entities, entities);
  });
  await check("getResource", async () => {
    const { contents } = await client.getResource("memory://knowledge-graph");
    assert(contents[0]?.text?.includes("Ada"));
  });
  await check(
    "getResource, an unknown URI",
    () => assertMcpError(client.getResource("memory://nothing"), "protocol_error", -32602),
  );
  await check(
    "callTool, invalid arguments",
    async () =>
      assertEquals((await client.callTool("create_entities", { entities: 1 })).isError, true),
  );
  await check("listen", async () => {
    const uri = "memory://knowledge-graph";
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    try {
      const entities = [{ name: "Alan", entityType: "person", observations: [] }];
      await client.callTool("create_entities", { entities });
      for await (const { params } of subscription) {
        assertEquals(params?.uri, uri);
        break;
      }
    } finally {
      await subscription.close();
    }
  });
}

/** Checks clients that are pinned to one protocol version or to an era. */
async function checkPinnedVersions({ check }: ConnectedServer, open: () => Opened): Promise<void> {
  for (const protocol of ["2025-06-18", "2025-03-26", "2024-11-05"] as const) {
    await check(`pinned to ${protocol}`, async () => {
      const client = createClient("file:///", { transport: open().transport, protocol });
      await client.connect();
      assertEquals(client.server?.protocolVersion, protocol);
      assertEquals((await client.listTools()).length, 9);
      await client.disconnect();
    });
  }
  await check("pinned to an era that the server does not support", async () => {
    const { transport, processes } = open();
    const client = createClient("file:///", { transport, protocol: "modern" });
    await assertMcpError(client.connect(), "protocol_error");
    assertEquals(await processes(), []);
  });
}

function kubeconfig(): string[] {
  return ["--kubeconfig", new URL("../programs/kubeconfig.yaml", import.meta.url).pathname];
}

/**
 * Finds a free port and starts the server on that port, because the server cannot choose a free
 * port itself.
 */
async function openKubernetes(...flags: string[]): Promise<Opened> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const port = `${listener.addr.port}`;
  listener.close();
  const args = [...KUBERNETES, ...kubeconfig(), "--bind-address", "127.0.0.1", "--port", port];
  const logging = ["--log-level", "1", "--log-file", "stderr"];
  const opened = await openHttpProcess(
    "npx",
    [...args, ...logging, ...flags],
    (url) => new HttpTransport(url),
    { port, ready: /HTTP server starting/ },
  );
  await untilOpen(Number(port));
  return opened;
}

/**
 * Waits until the port accepts connections, because the server reports that it has started before
 * it listens.
 */
async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      return (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    } catch {
      // The server is not listening yet, so try again after a delay.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Checks that no notification is lost or duplicated when the stream of a call is interrupted. */
async function checkBrokenStream({ url, check }: ConnectedServer): Promise<void> {
  await check("an interrupted stream is resumed", async () => {
    assert(url !== undefined);
    const { fetch, breaks } = breakOnce(globalThis.fetch, (body) => body.includes("long-running"));
    // When a stream is resumed, this server sends the buffered events and then ends the stream. The
    // tool call therefore finishes during the client's retry delay, so that the buffered events
    // include the call's result.
    const transport = new HttpTransport(url, { fetch, retryMs: 500 });
    const client = createClient("file:///", { transport });
    await client.connect();
    const received: number[] = [];
    const args = { duration: 0.3, steps: 3 };
    const call = client.callTool("trigger-long-running-operation", args, {
      onProgress: ({ progress }) => received.push(progress),
    });
    assert((await textOf(call)).startsWith("Long running operation completed"));
    assertEquals([breaks(), received], [1, [1, 2, 3]]);
    await client.disconnect();
  });
}

/** Checks that the client opens a new session after the server has deleted the session. */
async function checkDeletedSession({ url, check }: ConnectedServer): Promise<void> {
  await check("a deleted session is replaced", async () => {
    assert(url !== undefined);
    const sessions = new Set<string>();
    const transport = new HttpTransport(url, {
      fetch: (input, init) => {
        const session = new Headers(init.headers).get("mcp-session-id");
        if (session !== null) sessions.add(session);
        return fetch(input, init);
      },
    });
    const client = createClient("file:///", { transport });
    await client.connect();
    await client.listTools();
    const [session] = sessions;
    assert(session !== undefined);
    await fetch(url, { method: "DELETE", headers: { "mcp-session-id": session } });
    assert((await client.listTools()).length >= 20);
    assertEquals(sessions.size, 2);
    await client.disconnect();
  });
}

async function checkKubernetes(connected: ConnectedServer): Promise<void> {
  const { client, check } = connected;
  await check("listTools", async () => assert((await client.listTools()).length >= 20));
  await check("callTool", async () => {
    assert((await textOf(client.callTool("configuration_view", {}))).includes("nowhere"));
  });
  await check(
    "callTool, a failing tool",
    async () => assertEquals((await client.callTool("namespaces_list", {})).isError, true),
  );
  await check(
    "callTool, missing arguments",
    async () => assertEquals((await client.callTool("pods_get", {})).isError, true),
  );
  await check(
    "callTool, an unknown tool",
    () => assertMcpError(client.callTool("no_such_tool", {}), "tool_not_found"),
  );
  await check("listResources, listPrompts", async () => {
    assertEquals(await client.listResources(), []);
    assertEquals((await client.listPrompts()).map(({ name }) => name), ["cluster-health-check"]);
  });
  await check(
    "getResource, an unknown URI",
    () => assertMcpError(client.getResource("k8s://nowhere"), "protocol_error", -32602),
  );
  await check(
    "getPrompt, an unknown prompt",
    () => assertMcpError(client.getPrompt("no_such_prompt"), "protocol_error", -32602),
  );
  await check("setLogLevel", () => client.setLogLevel("debug"));
}
