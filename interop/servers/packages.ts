/**
 * Servers that come as packages.
 *
 * @module
 */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, assertEquals } from "@std/assert";
import { HttpTransport, SseTransport } from "@parley/mcp/client";
import { cutOnce } from "../cut.ts";
import { checkEverything } from "./everything.ts";
import {
  assertMcpError,
  createClient,
  denoRun,
  type Opened,
  openHttpProcess,
  process,
  programPath,
  type ServerKind,
  textOf,
  type Tried,
} from "./server.ts";

const EVERYTHING = "npm:@modelcontextprotocol/server-everything@2026.8.31";
const FILESYSTEM = "npm:@modelcontextprotocol/server-filesystem@2026.8.31";
const MEMORY = "npm:@modelcontextprotocol/server-memory@2026.8.31";
const KUBERNETES = ["-y", "--prefer-offline", "kubernetes-mcp-server@0.0.67"];

/** The servers. */
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
    checks: async (tried) => {
      await checkEverything(tried);
      await checkCut(tried);
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
    // With sessions, it answers `server/discover` and names no version that has none.
    name: "kubernetes-mcp-server 0.0.67, HTTP, auto, sessions",
    open: () => openKubernetes(),
    version: "2025-11-25",
    checks: async (tried) => {
      await checkKubernetes(tried);
      await checkLostSession(tried);
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

/** The path of something that is not there yet. */
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
    checks: (tried) => checkFilesystem(tried, folder),
  };
}

async function checkFilesystem({ client, check }: Tried, folder: string): Promise<void> {
  await check("listTools", async () => assertEquals((await client.listTools()).length, 14));
  await check("callTool, writes and reads a file", async () => {
    const path = `${folder}/note.txt`;
    const content = "Zoë 🦜\n".repeat(20_000);
    await client.callTool("write_file", { path, content });
    assertEquals(await textOf(client.callTool("read_text_file", { path })), content);
    assertEquals(await Deno.readTextFile(path), content);
  });
  await check("callTool, outside the folder", async () => {
    const { isError } = await client.callTool("read_text_file", { path: "/etc/hostname" });
    assertEquals(isError, true);
  });
  await check(
    "callTool, arguments that do not fit",
    async () => assertEquals((await client.callTool("read_text_file", {})).isError, true),
  );
  await check(
    "callTool, an unknown tool",
    async () => assertEquals((await client.callTool("no_such_tool", {})).isError, true),
  );
  await check("lists of what it does not offer", async () => {
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
    checks: async (tried) => {
      await checkMemory(tried);
      await checkPins(tried, open);
    },
  };
}

async function checkMemory({ client, check }: Tried): Promise<void> {
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
    "getResource, an unknown one",
    () => assertMcpError(client.getResource("memory://nothing"), "protocol_error", -32602),
  );
  await check(
    "callTool, arguments that do not fit",
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

/** What a client does that is pinned to a version of the protocol. */
async function checkPins({ check }: Tried, open: () => Opened): Promise<void> {
  for (const protocol of ["2025-06-18", "2025-03-26", "2024-11-05"]) {
    await check(`pinned to ${protocol}`, async () => {
      const client = createClient("file:///", { transport: open().transport, protocol });
      await client.connect();
      assertEquals(client.server?.protocolVersion, protocol);
      assertEquals((await client.listTools()).length, 9);
      await client.disconnect();
    });
  }
  await check("pinned to an era that the server does not know", async () => {
    const { transport, processes } = open();
    const client = createClient("file:///", { transport, protocol: "modern" });
    await assertMcpError(client.connect(), "protocol_error");
    assertEquals(await processes(), []);
  });
}

function kubeconfig(): string[] {
  return ["--kubeconfig", new URL("../programs/kubeconfig.yaml", import.meta.url).pathname];
}

/** This one cannot be asked for any free port. */
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

/** It says that it is about to listen, not that it does. */
async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      return (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    } catch {
      // Not yet.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** The stream of a call breaks: nothing is lost, and nothing comes twice. */
async function checkCut({ url, check }: Tried): Promise<void> {
  await check("a connection that is cut", async () => {
    assert(url !== undefined);
    const { fetch, cuts } = cutOnce(globalThis.fetch, (body) => body.includes("long-running"));
    // This server sends what it has kept, but nothing that comes later: go back when all is over.
    const transport = new HttpTransport(url, { fetch, retryMs: 500 });
    const client = createClient("file:///", { transport });
    await client.connect();
    const heard: number[] = [];
    const args = { duration: 0.3, steps: 3 };
    const call = client.callTool("trigger-long-running-operation", args, {
      onProgress: ({ progress }) => heard.push(progress),
    });
    assert((await textOf(call)).startsWith("Long running operation completed"));
    assertEquals([cuts(), heard], [1, [1, 2, 3]]);
    await client.disconnect();
  });
}

/** The server forgets the session: the client opens another one, and nobody notices. */
async function checkLostSession({ url, check }: Tried): Promise<void> {
  await check("a session that is lost", async () => {
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

async function checkKubernetes(tried: Tried): Promise<void> {
  const { client, check } = tried;
  await check("listTools", async () => assert((await client.listTools()).length >= 20));
  await check("callTool", async () => {
    assert((await textOf(client.callTool("configuration_view", {}))).includes("nowhere"));
  });
  await check(
    "callTool, a tool that fails",
    async () => assertEquals((await client.callTool("namespaces_list", {})).isError, true),
  );
  await check(
    "callTool, arguments that are missing",
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
    "getResource, an unknown one",
    () => assertMcpError(client.getResource("k8s://nowhere"), "protocol_error", -32602),
  );
  await check(
    "getPrompt, an unknown one",
    () => assertMcpError(client.getPrompt("no_such_prompt"), "protocol_error", -32602),
  );
  await check("setLogLevel", () => client.setLogLevel("debug"));
}
