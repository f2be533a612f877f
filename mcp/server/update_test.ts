/** Tests of the methods that replace registered items. */

import { assertEquals, assertThrows } from "@std/assert";
import { createMemoryTransport, McpClient } from "../client.ts";
import { McpServer, type McpServerConfig, type Principal, servePipe } from "../server.ts";
import { McpError } from "../shared/error.ts";

const OBJECT = { type: "object" };
const ANN: Principal = { subject: "ann" };
const BOB: Principal = { subject: "bob" };

function serverOf(config: Partial<McpServerConfig> = {}): McpServer {
  const server = new McpServer({ name: "s", version: "1", ...config });
  for (const name of ["a", "b", "c"]) {
    server.registerTool({ name, description: "old" }, () => `tool ${name}`);
    server.registerResource({ uri: `r:///${name}`, name: "old" }, () => `resource ${name}`);
    server.registerResourceTemplate(
      { uriTemplate: `t:///${name}/{x}`, name: "old" },
      (_uri, { x }) => `template ${name} ${x}`,
      { complete: { x: () => ["1"] }, list: () => ({ resources: [] }) },
    );
    server.registerPrompt(
      { name, description: "old", arguments: [{ name: "x" }] },
      ({ x }) => `prompt ${name} ${x}`,
      { complete: { x: () => ["1"] } },
    );
  }
  return server;
}

async function connect(server: McpServer): Promise<McpClient> {
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
  });
  await client.connect();
  return client;
}

function changesOf(server: McpServer): unknown[] {
  const changes: unknown[] = [];
  server.changes.listen((change) => changes.push(change));
  return changes;
}

Deno.test("updateTool() replaces the tool at its position, with one notification", async () => {
  const server = serverOf();
  await using client = await connect(server);
  const changes = changesOf(server);
  assertEquals((await client.listTools()).map(({ name }) => name), ["a", "b", "c"]);
  server.updateTool("b", { name: "b", description: "new", inputSchema: OBJECT }, () => "new");
  assertEquals(changes, [{ kind: "tools" }]);
  assertEquals(await client.listTools(), [
    { name: "a", description: "old", inputSchema: OBJECT },
    { name: "b", description: "new", inputSchema: OBJECT },
    { name: "c", description: "old", inputSchema: OBJECT },
  ]);
  assertEquals((await client.callTool("b")).content, [{ type: "text", text: "new" }]);
});

Deno.test("updateTool() keeps the handler, checks the new schema, and can rename", async () => {
  const server = serverOf();
  await using client = await connect(server);
  const inputSchema = { type: "object", required: ["n"] };
  server.updateTool("b", { name: "renamed", inputSchema });
  assertEquals((await client.listTools()).map(({ name }) => name), ["a", "renamed", "c"]);
  assertEquals((await client.callTool("renamed", {})).isError, true);
  const { content } = await client.callTool("renamed", { n: 1 });
  assertEquals(content, [{ type: "text", text: "tool b" }]);
  assertEquals(server.removeTool("b"), false);
  server.registerTool({ name: "b" }, () => "again");
  assertEquals((await client.listTools()).map(({ name }) => name), ["a", "renamed", "c", "b"]);
});

Deno.test("updateResource() replaces the resource at its position, with one notification", async () => {
  const server = serverOf();
  await using client = await connect(server);
  const changes = changesOf(server);
  server.updateResource("r:///b", { uri: "r:///b", name: "new" });
  server.updateResource("r:///c", { uri: "r:///d", name: "d" }, () => "resource d");
  assertEquals(changes, [{ kind: "resources" }, { kind: "resources" }]);
  assertEquals(await client.listResources(), [
    { uri: "r:///a", name: "old" },
    { uri: "r:///b", name: "new" },
    { uri: "r:///d", name: "d" },
  ]);
  const read = async (uri: string) => (await client.getResource(uri)).contents[0]?.text;
  assertEquals(await read("r:///b"), "resource b");
  assertEquals(await read("r:///d"), "resource d");
});

Deno.test("updateResourceTemplate() keeps what is omitted", async () => {
  const server = serverOf();
  await using client = await connect(server);
  const changes = changesOf(server);
  const complete = async (uri: string) =>
    (await client.complete({
      ref: { type: "ref/resource", uri },
      argument: { name: "x", value: "" },
    })).values;
  server.updateResourceTemplate("t:///b/{x}", { uriTemplate: "t:///new/{x}", name: "new" });
  assertEquals(changes, [{ kind: "resources" }]);
  assertEquals((await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate), [
    "t:///a/{x}",
    "t:///new/{x}",
    "t:///c/{x}",
  ]);
  assertEquals((await client.getResource("t:///new/1")).contents[0]?.text, "template b 1");
  assertEquals(await complete("t:///new/{x}"), ["1"]);
  const list = () => ({ resources: [{ uri: "t:///new/7", name: "7" }] });
  const template = { uriTemplate: "t:///new/{x}", name: "new" };
  server.updateResourceTemplate("t:///new/{x}", template, undefined, { list });
  assertEquals(await complete("t:///new/{x}"), []);
  assertEquals((await client.listResources()).at(-1)?.uri, "t:///new/7");
  server.updateResourceTemplate("t:///new/{x}", template, () => "other", {});
  assertEquals((await client.listResources()).at(-1)?.uri, "r:///c");
  assertEquals((await client.getResource("t:///new/1")).contents[0]?.text, "other");
});

Deno.test("updatePrompt() keeps the completers only if they belong to the new arguments", async () => {
  const server = serverOf();
  await using client = await connect(server);
  const changes = changesOf(server);
  server.updatePrompt("b", { name: "b", description: "new", arguments: [{ name: "x" }] });
  assertEquals(changes, [{ kind: "prompts" }]);
  assertEquals((await client.listPrompts()).map(({ description }) => description), [
    "old",
    "new",
    "old",
  ]);
  const { messages } = await client.getPrompt("b", { x: "1" });
  assertEquals(messages[0]?.content, { type: "text", text: "prompt b 1" });
  const renamed = { name: "b", arguments: [{ name: "y" }] };
  assertThrows(
    () => server.updatePrompt("b", renamed),
    TypeError,
    '"complete.x" must belong to a registered argument ("y")',
  );
  server.updatePrompt("b", renamed, ({ y }) => `new ${y}`, {});
  const changed = await client.getPrompt("b", { y: "2" });
  assertEquals(changed.messages[0]?.content, { type: "text", text: "new 2" });
});

Deno.test("an update that fails changes nothing, and notifies no client", async () => {
  const server = serverOf();
  const changes = changesOf(server);
  const failures: readonly [() => void, string][] = [
    [() => server.updateTool("x", { name: "x" }), 'Cannot update tool "x": not registered'],
    [() => server.updateTool("a", { name: "b" }), 'Cannot rename tool "b": already registered'],
    [
      () => server.updateResource("r:///x", { uri: "r:///x", name: "" }),
      'Cannot update resource "r:///x": not registered',
    ],
    [
      () => server.updateResourceTemplate("t:///{x}", { uriTemplate: "t:///{x}", name: "" }),
      'Cannot update resource template "t:///{x}": not registered',
    ],
    [
      () => server.updatePrompt("x", { name: "x", arguments: [] }),
      'Cannot update prompt "x": not registered',
    ],
  ];
  for (const [update, message] of failures) {
    const error = assertThrows(update, McpError, message);
    assertEquals(error.code, "protocol_error");
  }
  assertThrows(
    () => server.updateTool("a", { name: "a", inputSchema: { type: "text" } }),
    TypeError,
    '"inputSchema.type" must be "object"',
  );
  assertThrows(() => server.updateTool("a", { name: "a" }, "handler" as never), TypeError);
  assertThrows(() => server.updateTool("a", {} as never), TypeError, "tool.name");
  assertEquals(changes, []);
  await using client = await connect(server);
  assertEquals((await client.listTools()).map(({ description }) => description), [
    "old",
    "old",
    "old",
  ]);
});

Deno.test("an update is announced to the principals that see the old or the new item", () => {
  const server = serverOf({
    visible: ({ name }, principal) =>
      !name.includes("ann") || principal === undefined || principal.subject === "ann",
  });
  const seen: unknown[] = [];
  server.changes.listen((change) =>
    seen.push([server.canSeeChange(change, ANN), server.canSeeChange(change, BOB)])
  );
  server.updateTool("a", { name: "for-ann" });
  server.updateTool("for-ann", { name: "for-ann", description: "new" });
  server.updateTool("for-ann", { name: "a" });
  assertEquals(seen, [[true, true], [true, false], [true, true]]);
});

Deno.test("a call in progress continues with the replaced tool", async () => {
  const server = serverOf();
  const started = Promise.withResolvers<void>();
  const held = Promise.withResolvers<string>();
  server.updateTool("a", { name: "a" }, async () => {
    started.resolve();
    return await held.promise;
  });
  await using client = await connect(server);
  const call = client.callTool("a");
  await started.promise;
  server.updateTool("a", { name: "a" }, () => "new");
  held.resolve("old");
  assertEquals((await call).content, [{ type: "text", text: "old" }]);
  assertEquals((await client.callTool("a")).content, [{ type: "text", text: "new" }]);
});

Deno.test("updates between two pages neither repeat nor skip items", async () => {
  const server = serverOf({ pageSize: 1 });
  const page = async (cursor?: string) => {
    const params = cursor === undefined ? {} : { cursor };
    const response = await server.handleRequest({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
      params,
    });
    return JSON.parse(JSON.stringify(response)).result;
  };
  const first = await page();
  server.updateTool("a", { name: "a", description: "new" });
  server.updateTool("b", { name: "b", description: "new" });
  const second = await page(first.nextCursor);
  assertEquals(second.tools, [{ name: "b", description: "new", inputSchema: OBJECT }]);
});
