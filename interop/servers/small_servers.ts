/**
 * Small servers with the same tools, resources and prompts, built with different libraries.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { CallToolResult, McpClient, McpErrorCodeType } from "@parley/mcp";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { HttpTransport } from "@parley/mcp/client";
import { sdkServerFactory } from "../programs/sdk_v2_server.ts";
import {
  assertMcpError,
  checkCancellation,
  type ConnectedServer,
  denoRun,
  type Opened,
  openHttpProcess,
  process,
  programPath,
  type ServerKind,
  textOf,
} from "./server.ts";

/** Code of the expected `McpError`, and its JSON-RPC error code if it has one. */
type ExpectedError = readonly [McpErrorCodeType, number?];

/** Features and error codes that differ between the libraries. */
interface Traits {
  /** Whether tool results have structured content. */
  readonly structured: boolean;
  /** Expected error for an unknown tool. */
  readonly unknownTool: ExpectedError | "isError";
  /** Expected error for invalid tool arguments. */
  readonly badArguments: ExpectedError | "isError";
  /** Expected error for an unknown resource. */
  readonly unknownResource: ExpectedError;
  /** Expected error for a missing prompt argument. */
  readonly badPrompt: ExpectedError;
  /** Whether progress and log notifications are associated with the request that causes them. */
  readonly reports: boolean;
}

const SDK_V2: Traits = {
  structured: true,
  unknownTool: ["tool_not_found"],
  badArguments: "isError",
  unknownResource: ["protocol_error", -32602],
  badPrompt: ["protocol_error", -32602],
  reports: true,
};

const FASTMCP: Traits = {
  structured: false,
  unknownTool: ["tool_not_found"],
  badArguments: ["protocol_error", -32602],
  unknownResource: ["protocol_error", -32601],
  badPrompt: ["protocol_error", -32600],
  reports: true,
};

const TMCP: Traits = { ...SDK_V2, unknownTool: "isError" };

/** Checks for the small servers, each with one library and one transport. */
export const SMALL_SERVERS: readonly ServerKind[] = [
  {
    name: "@modelcontextprotocol/server 2.4.0, stdio, auto",
    open: process("deno", denoRun(programPath("sdk_v2_server"))),
    version: "2026-07-28",
    killedDuring: "wait",
    checks: async (connected) => {
      await checkSmall(connected, SDK_V2);
      await checkSdk(connected);
      await checkNotifications(connected);
    },
  },
  {
    name: "@modelcontextprotocol/server 2.4.0, stdio, legacy",
    open: process("deno", denoRun(programPath("sdk_v2_server"))),
    protocol: "legacy",
    version: "2025-11-25",
    killedDuring: "wait",
    checks: async (connected) => {
      await checkSmall(connected, SDK_V2);
      await checkSdk(connected);
      await checkNotifications(connected);
    },
  },
  {
    name: "@modelcontextprotocol/server 2.4.0, HTTP, auto",
    open: openSdkHttp,
    version: "2026-07-28",
    checks: async (connected) => {
      await checkSmall(connected, SDK_V2);
      await checkSdk(connected);
    },
  },
  {
    name: "@modelcontextprotocol/server 2.4.0, HTTP, legacy",
    open: openSdkHttp,
    protocol: "legacy",
    version: "2025-11-25",
    checks: (connected) => checkSmall(connected, SDK_V2),
  },
  {
    name: "fastmcp 4.20.16, stdio",
    open: process("deno", denoRun(programPath("fastmcp_server"))),
    version: "2025-11-25",
    checks: (connected) => checkSmall(connected, FASTMCP),
  },
  {
    name: "fastmcp 4.20.16, HTTP",
    open: () =>
      openHttpProcess(
        "deno",
        denoRun(`--preload=${programPath("loopback")}`, programPath("fastmcp_server"), "8080"),
        (url) => new HttpTransport(url),
      ),
    version: "2025-11-25",
    checks: (connected) => checkSmall(connected, FASTMCP),
  },
  {
    name: "tmcp 1.20.0, stdio, auto",
    open: process("deno", denoRun(programPath("tmcp_server"))),
    version: "2026-07-28",
    checks: (connected) => checkSmall(connected, TMCP),
  },
  {
    name: "tmcp 1.20.0, stdio, legacy",
    open: process("deno", denoRun(programPath("tmcp_server"))),
    protocol: "legacy",
    version: "2025-06-18",
    checks: (connected) => checkSmall(connected, TMCP),
  },
];

function openSdkHttp(): Opened {
  const handler = createMcpHandler(sdkServerFactory());
  const http = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => handler.fetch(request),
  );
  let closed: Promise<void> | undefined;
  return {
    transport: { type: "http", url: `http://127.0.0.1:${http.addr.port}/` },
    processes: () => Promise.resolve([]),
    close: () => closed ??= handler.close().then(() => http.shutdown()),
  };
}

async function checkSmall(connected: ConnectedServer, traits: Traits): Promise<void> {
  await checkTools(connected, traits);
  await checkResources(connected, traits);
  await checkPrompts(connected, traits);
  await checkReports(connected, traits);
  await checkCancellation(connected, "wait");
}

async function checkTools({ client, check }: ConnectedServer, traits: Traits): Promise<void> {
  await check("listTools", async () => {
    const names = (await client.listTools()).map(({ name }) => name);
    for (const name of ["add", "fail", "wait"]) assert(names.includes(name), name);
  });
  await check("callTool", async () => {
    const { content, structuredContent } = await client.callTool("add", { a: 2, b: 3 });
    if (traits.structured) assertEquals(structuredContent, { sum: 5 });
    else assertEquals(content, [{ type: "text", text: "5" }]);
  });
  await check("callTool, 30 in parallel", async () => {
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    const results = await Promise.all(numbers.map((a) => client.callTool("add", { a, b: 1 })));
    assertEquals(results.filter(({ isError }) => isError === true), []);
  });
  await check("callTool, a failing tool", async () => {
    const result = await client.callTool("fail", {});
    assertEquals(result.isError, true);
    assert(JSON.stringify(result.content).includes("It went wrong"));
  });
  await check(
    "callTool, invalid arguments",
    () => assertToolError(client.callTool("add", { a: "two" }), traits.badArguments),
  );
  await check(
    "callTool, an unknown tool",
    () => assertToolError(client.callTool("no_such_tool", {}), traits.unknownTool),
  );
}

async function assertToolError(
  call: Promise<CallToolResult>,
  expected: Traits["unknownTool"],
): Promise<void> {
  if (expected === "isError") assertEquals((await call).isError, true);
  else await assertMcpError(call, ...expected);
}

async function checkResources({ client, check }: ConnectedServer, traits: Traits): Promise<void> {
  await check("listResources, listResourceTemplates", async () => {
    assertEquals((await client.listResources()).map(({ uri }) => uri), ["note://welcome"]);
    const templates = await client.listResourceTemplates();
    assertEquals(templates.map(({ uriTemplate }) => uriTemplate), ["note://by/{author}"]);
  });
  await check("getResource", async () => {
    const { contents } = await client.getResource("note://welcome");
    assertEquals(contents.map(({ text }) => text), ["Welcome"]);
    const [note] = (await client.getResource("note://by/Ada")).contents;
    assertEquals(note?.text, "By Ada");
  });
  await check(
    "getResource, an unknown URI",
    () => assertMcpError(client.getResource("note://nowhere"), ...traits.unknownResource),
  );
}

async function checkPrompts({ client, check }: ConnectedServer, traits: Traits): Promise<void> {
  await check("listPrompts, getPrompt", async () => {
    assertEquals((await client.listPrompts()).map(({ name }) => name), ["greet"]);
    const { messages } = await client.getPrompt("greet", { name: "Ada" });
    assertEquals(messages[0]?.content, { type: "text", text: "Greet Ada." });
  });
  await check(
    "getPrompt, a missing argument",
    () => assertMcpError(client.getPrompt("greet"), ...traits.badPrompt),
  );
  await check("complete", async () => {
    const ref = { type: "ref/prompt", name: "greet" } as const;
    const { values } = await client.complete({ ref, argument: { name: "name", value: "A" } });
    assertEquals(values, ["Ada", "Alan"]);
  });
}

async function checkReports(
  { client, check }: ConnectedServer,
  { reports }: Traits,
): Promise<void> {
  await check("progress", async () => {
    const updates: number[] = [];
    const call = client.callTool("report", {}, {
      onProgress: ({ progress, total }) => {
        assertEquals(total, 3);
        updates.push(progress);
      },
    });
    assertEquals(await textOf(call), "reported");
    if (reports) assertEquals(updates, [1, 2, 3]);
  });
}

/** Checks features that only the official SDK's server has. */
async function checkSdk({ client, notifications, check }: ConnectedServer): Promise<void> {
  await check(
    "elicitation request",
    async () => assertEquals(await textOf(client.callTool("ask_user", {})), "Hello Ada"),
  );
  await check("logging", async () => {
    await client.setLogLevel("debug");
    await client.callTool("report", {});
    await notifications.find(({ method, params }) =>
      method === "notifications/message" && Object(params?.data).progress === 3
    );
  });
  await check("cancellation reaches the tool", async () => {
    let abortedCalls = "0";
    while (abortedCalls === "0") abortedCalls = await textOf(client.callTool("given_up", {}));
  });
}

async function checkNotifications({ client, check }: ConnectedServer): Promise<void> {
  await check("listen", async () => {
    const subscription = await client.listen({ toolsListChanged: true });
    try {
      assertEquals(subscription.accepted, { toolsListChanged: true });
      await client.callTool("grow", {});
      for await (const { method } of subscription) {
        assertEquals(method, "notifications/tools/list_changed");
        break;
      }
      assert(await hasTool(client, "grown"));
    } finally {
      await subscription.close();
    }
  });
}

async function hasTool(client: McpClient, wanted: string): Promise<boolean> {
  return (await client.listTools()).some(({ name }) => name === wanted);
}
