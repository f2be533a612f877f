/**
 * Small servers made with libraries of others: they all offer the same.
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
  checkGivingUp,
  denoRun,
  type Opened,
  openHttpProcess,
  process,
  programPath,
  type ServerKind,
  textOf,
  type Tried,
} from "./server.ts";

/** The code of the error, and that of JSON-RPC if it is told. */
type Refusal = readonly [McpErrorCodeType, number?];

/** In what the libraries differ. */
interface Traits {
  /** Whether results can be structured. */
  readonly structured: boolean;
  /** How an unknown tool is refused. */
  readonly unknownTool: Refusal | "isError";
  /** How arguments that do not fit are refused. */
  readonly badArguments: Refusal | "isError";
  /** How an unknown resource is refused. */
  readonly unknownResource: Refusal;
  /** How a missing argument of a prompt is refused. */
  readonly badPrompt: Refusal;
  /** Whether progress and log messages belong to the request. */
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

/** The servers. */
export const SMALL: readonly ServerKind[] = [
  {
    name: "@modelcontextprotocol/server 2.4.0, stdio, auto",
    open: process("deno", denoRun(programPath("sdk_v2_server"))),
    version: "2026-07-28",
    killedDuring: "wait",
    checks: async (tried) => {
      await checkSmall(tried, SDK_V2);
      await checkSdk(tried);
      await checkNews(tried);
    },
  },
  {
    name: "@modelcontextprotocol/server 2.4.0, stdio, legacy",
    open: process("deno", denoRun(programPath("sdk_v2_server"))),
    protocol: "legacy",
    version: "2025-11-25",
    killedDuring: "wait",
    checks: async (tried) => {
      await checkSmall(tried, SDK_V2);
      await checkSdk(tried);
      await checkNews(tried);
    },
  },
  {
    name: "@modelcontextprotocol/server 2.4.0, HTTP, auto",
    open: openSdkHttp,
    version: "2026-07-28",
    checks: async (tried) => {
      await checkSmall(tried, SDK_V2);
      await checkSdk(tried);
    },
  },
  {
    name: "@modelcontextprotocol/server 2.4.0, HTTP, legacy",
    open: openSdkHttp,
    protocol: "legacy",
    version: "2025-11-25",
    checks: (tried) => checkSmall(tried, SDK_V2),
  },
  {
    name: "fastmcp 4.20.16, stdio",
    open: process("deno", denoRun(programPath("fastmcp_server"))),
    version: "2025-11-25",
    checks: (tried) => checkSmall(tried, FASTMCP),
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
    checks: (tried) => checkSmall(tried, FASTMCP),
  },
  {
    name: "tmcp 1.20.0, stdio, auto",
    open: process("deno", denoRun(programPath("tmcp_server"))),
    version: "2026-07-28",
    checks: (tried) => checkSmall(tried, TMCP),
  },
  {
    name: "tmcp 1.20.0, stdio, legacy",
    open: process("deno", denoRun(programPath("tmcp_server"))),
    protocol: "legacy",
    version: "2025-06-18",
    checks: (tried) => checkSmall(tried, TMCP),
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

async function checkSmall(tried: Tried, traits: Traits): Promise<void> {
  await checkTools(tried, traits);
  await checkResources(tried, traits);
  await checkPrompts(tried, traits);
  await checkReports(tried, traits);
  await checkGivingUp(tried, "wait");
}

async function checkTools({ client, check }: Tried, traits: Traits): Promise<void> {
  await check("listTools", async () => {
    const names = (await client.listTools()).map(({ name }) => name);
    for (const name of ["add", "fail", "wait"]) assert(names.includes(name), name);
  });
  await check("callTool", async () => {
    const { content, structuredContent } = await client.callTool("add", { a: 2, b: 3 });
    if (traits.structured) assertEquals(structuredContent, { sum: 5 });
    else assertEquals(content, [{ type: "text", text: "5" }]);
  });
  await check("callTool, 30 at once", async () => {
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    const results = await Promise.all(numbers.map((a) => client.callTool("add", { a, b: 1 })));
    assertEquals(results.filter(({ isError }) => isError === true), []);
  });
  await check("callTool, a tool that fails", async () => {
    const result = await client.callTool("fail", {});
    assertEquals(result.isError, true);
    assert(JSON.stringify(result.content).includes("It went wrong"));
  });
  await check(
    "callTool, arguments that do not fit",
    () => assertToolRefused(client.callTool("add", { a: "two" }), traits.badArguments),
  );
  await check(
    "callTool, an unknown tool",
    () => assertToolRefused(client.callTool("no_such_tool", {}), traits.unknownTool),
  );
}

async function assertToolRefused(
  call: Promise<CallToolResult>,
  refusal: Traits["unknownTool"],
): Promise<void> {
  if (refusal === "isError") assertEquals((await call).isError, true);
  else await assertMcpError(call, ...refusal);
}

async function checkResources({ client, check }: Tried, traits: Traits): Promise<void> {
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
    "getResource, an unknown one",
    () => assertMcpError(client.getResource("note://nowhere"), ...traits.unknownResource),
  );
}

async function checkPrompts({ client, check }: Tried, traits: Traits): Promise<void> {
  await check("listPrompts, getPrompt", async () => {
    assertEquals((await client.listPrompts()).map(({ name }) => name), ["greet"]);
    const { messages } = await client.getPrompt("greet", { name: "Ada" });
    assertEquals(messages[0]?.content, { type: "text", text: "Greet Ada." });
  });
  await check(
    "getPrompt, an argument is missing",
    () => assertMcpError(client.getPrompt("greet"), ...traits.badPrompt),
  );
  await check("complete", async () => {
    const ref = { type: "ref/prompt", name: "greet" } as const;
    const { values } = await client.complete({ ref, argument: { name: "name", value: "A" } });
    assertEquals(values, ["Ada", "Alan"]);
  });
}

async function checkReports({ client, check }: Tried, { reports }: Traits): Promise<void> {
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

/** What only the SDK's server has. */
async function checkSdk({ client, heard, check }: Tried): Promise<void> {
  await check(
    "a question to the user",
    async () => assertEquals(await textOf(client.callTool("ask_user", {})), "Hello Ada"),
  );
  await check("logging", async () => {
    await client.setLogLevel("debug");
    await client.callTool("report", {});
    await heard.find(({ method, params }) =>
      method === "notifications/message" && Object(params?.data).progress === 3
    );
  });
  await check("cancellation reaches the tool", async () => {
    let givenUp = "0";
    while (givenUp === "0") givenUp = await textOf(client.callTool("given_up", {}));
  });
}

async function checkNews({ client, check }: Tried): Promise<void> {
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
