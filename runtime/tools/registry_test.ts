import {
  assert,
  assertEquals,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { runToolLoop } from "../loop/loop.ts";
import { AgentError } from "../shared/error.ts";
import { scriptedModel } from "../testing.ts";
import { jsonSchemaValidator } from "./json_schema.ts";
import type { McpToolOptions, McpToolSource } from "./mcp_tools.ts";
import { type RegisterOptions, ToolRegistry } from "./registry.ts";
import { type Tool, ToolError, ToolOutput } from "./tool.ts";

function tool(name: string): Tool {
  return {
    name,
    description: `does ${name}`,
    inputSchema: { type: "object" },
    execute: () => name,
  };
}

Deno.test("ToolRegistry lists tools in the order of registration", () => {
  const registry = new ToolRegistry(["b", "a", "c"].map(tool));
  assertEquals(registry.names(), ["b", "a", "c"]);
  assertEquals([...registry].map(({ name }) => name), ["b", "a", "c"]);
  assertEquals(registry.size, 3);
  assert(registry.unregister("a"));
  assert(!registry.unregister("a"));
  assertEquals(registry.names(), ["b", "c"]);
});

Deno.test("ToolRegistry.definitions() returns the same array until the registry changes", () => {
  const registry = new ToolRegistry([tool("a")]);
  const before = registry.definitions();
  assertStrictEquals(registry.definitions(), before);
  assert(Object.isFrozen(before));
  registry.register(tool("b"));
  assertEquals(registry.definitions().map(({ name }) => name), ["a", "b"]);
  assertEquals(before.length, 1);
});

Deno.test("ToolRegistry.register() rejects a duplicate name unless replace is true", () => {
  const registry = new ToolRegistry([tool("a")]);
  const error = assertThrows(() => registry.register(tool("a")), AgentError);
  assertEquals(error.code, "core");
  registry.register({ ...tool("a"), description: "new" }, { replace: true });
  assertEquals(registry.get("a")?.description, "new");
});

Deno.test("ToolRegistry.register() throws for an invalid tool", () => {
  const registry = new ToolRegistry();
  const wrong: unknown[] = [null, {}, { ...tool("") }, { ...tool("a b") }, tool("x".repeat(129)), {
    ...tool("a"),
    inputSchema: null,
  }, { ...tool("a"), execute: 1 }];
  for (const item of wrong) assertThrows(() => registry.register(item as Tool), TypeError);
  assertEquals(registry.size, 0);
});

Deno.test("ToolRegistry.get() returns undefined for names of inherited properties", () => {
  const registry = new ToolRegistry([tool("a")]);
  for (const name of ["constructor", "__proto__", "toString"]) {
    assertEquals(registry.get(name), undefined);
  }
  const error = assertThrows(() => registry.resolve("constructor"), AgentError);
  assertEquals(error.details, { toolName: "constructor", available: ["a"] });
});

Deno.test("ToolRegistry.subset() returns a read-only view from which removed tools disappear", () => {
  const registry = new ToolRegistry(["a", "b", "c"].map(tool));
  const view = registry.subset(["c", "a", "a"]);
  const definitions = view.definitions();
  assertEquals(view.names(), ["a", "c"]);
  registry.register(tool("d"));
  registry.unregister("a");
  assertEquals(view.names(), ["c"]);
  assertEquals(view.get("b"), undefined);
  assertEquals(view.definitions().length, 1);
  assertEquals(definitions.length, 2);
  assertEquals(view.subset([]).size, 0);
  assertThrows(() => view.subset(["b"]), AgentError);
  assert(assertThrows(() => view.register(tool("e")), AgentError).isDelegationFailed());
  assert(view.unregister("c"));
  assert(registry.has("c"));
});

Deno.test("ToolRegistry.subset() does not contain another tool with the name of a removed or replaced tool", () => {
  for (const isReplaced of [false, true]) {
    const registry = new ToolRegistry(["a", "b"].map(tool));
    const view = registry.subset(["a", "b"]);
    const nested = view.subset(["a"]);
    if (!isReplaced) registry.unregister("a");
    registry.register(tool("a"), { replace: isReplaced });
    for (const one of [view, nested]) {
      assertEquals([one.has("a"), one.get("a"), one.names().includes("a")], [
        false,
        undefined,
        false,
      ]);
      assertEquals(one.definitions().some(({ name }) => name === "a"), false);
      assertThrows(() => one.subset(["a"]), AgentError);
    }
    assertEquals(registry.subset(["a"]).names(), ["a"]);
  }
});

Deno.test("a hidden tool is missing from the definitions of its registry, but not from a subset", () => {
  const registry = new ToolRegistry([tool("a")]);
  registry.register(tool("b"), { hidden: true });
  const shown = (of: ToolRegistry) => of.definitions().map(({ name }) => name);
  assertEquals([registry.isHidden("a"), registry.isHidden("b"), registry.isHidden("c")], [
    false,
    true,
    false,
  ]);
  assertEquals(shown(registry), ["a"]);
  assertEquals(registry.names(), ["a", "b"]);
  const view = registry.subset(["b"]);
  assertEquals(shown(view), ["b"]);
  assertEquals([view.isHidden("b"), view.subset(["b"]).isHidden("b")], [false, false]);
});

Deno.test("a tool that replaces a hidden tool is hidden only if registered with hidden", () => {
  const registry = new ToolRegistry();
  registry.register(tool("a"), { hidden: true });
  assertEquals(registry.definitions(), []);
  registry.register(tool("a"), { replace: true });
  assertEquals(registry.definitions().length, 1);
  registry.register(tool("a"), { replace: true, hidden: true });
  assertEquals(registry.definitions(), []);
  registry.unregister("a");
  registry.register(tool("a"));
  assertEquals([registry.isHidden("a"), registry.definitions().length], [false, 1]);
});

Deno.test("ToolRegistry.registerMcp() can hide the tools of a server", async () => {
  const registry = new ToolRegistry();
  const server = source([{ name: "read", inputSchema: { type: "object" } }]);
  assertEquals(await registry.registerMcp(server, { hidden: true }), ["read"]);
  assertEquals([registry.isHidden("read"), registry.definitions()], [true, []]);
});

function source(
  tools: Awaited<ReturnType<McpToolSource["listTools"]>>,
  result: unknown = {},
): McpToolSource & { calls: unknown[] } {
  const calls: unknown[] = [];
  return {
    calls,
    listTools: () => Promise.resolve(tools),
    callTool: (...args) => {
      calls.push(args.slice(0, 2));
      return Promise.resolve(result);
    },
  };
}

Deno.test("ToolRegistry.registerMcp() registers tools with prefix, filter and annotations", async () => {
  const registry = new ToolRegistry();
  const server = source([
    {
      name: "read/file",
      description: "reads",
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: true, title: "x" },
    },
    { name: "drop", inputSchema: { type: "object" } },
  ]);
  assertEquals(
    await registry.registerMcp(server, {
      prefix: "fs_",
      filter: (name) => name !== "drop",
      trustHints: true,
    }),
    ["fs_read_file_064f60"],
  );
  const tool = registry.resolve("fs_read_file_064f60");
  assertEquals([tool.description, tool.annotations], ["reads", { readOnly: true }]);
  await tool.execute({ path: "x" }, { signal: new AbortController().signal } as never);
  assertEquals(server.calls, [["read/file", { path: "x" }]]);
});

Deno.test("ToolRegistry.registerMcp() ignores the hints of a server unless trustHints is true", async () => {
  const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  const listed = [{ name: "wipe", inputSchema: { type: "object" }, annotations: hints }];
  const options: readonly (McpToolOptions & RegisterOptions)[] = [
    {},
    { trustHints: false },
    { follow: true },
    { validator: jsonSchemaValidator() },
    { replace: true, prefix: "s_" },
  ];
  for (const one of options) {
    const registry = new ToolRegistry();
    const server = {
      ...source(listed),
      async *watchTools() {
        yield listed;
      },
    };
    const [name = ""] = await registry.registerMcp(server, one);
    assertEquals(registry.resolve(name).annotations, undefined);
  }
});

Deno.test("a call to a tool of an untrusted server is not repeated after an interruption", async () => {
  const annotations = { readOnlyHint: true, idempotentHint: true };
  for (const trustHints of [false, true]) {
    const journal = new MemoryJournal();
    const registry = new ToolRegistry();
    const server = source([{ name: "wipe", inputSchema: { type: "object" }, annotations }]);
    await registry.registerMcp(server, { trustHints });
    const model = scriptedModel([{ calls: [{ toolName: "wipe" }] }, { text: "done" }]);
    const stepRunner = recordSteps(journal);
    const output = await runToolLoop({ model, registry, stepRunner, runId: "r" }, "go");
    const lines = journal.toText().split("\n").slice(0, -1);
    const begun = lines.slice(0, lines.findIndex((line) => line.includes('"kind":"tool"')));
    const resumed = await runToolLoop({
      model: scriptedModel([{ text: "done" }]),
      registry,
      stepRunner: recordSteps(MemoryJournal.fromText(`${begun.join("\n")}\n`)),
      runId: "r",
    }, "go");
    assertEquals(output.iterations[0]?.toolResults[0]?.code, undefined);
    assertEquals(server.calls.length, trustHints ? 2 : 1);
    const { code } = resumed.iterations[0]?.toolResults[0] ?? {};
    assertEquals(code, trustHints ? undefined : "outcome_unknown");
  }
});

Deno.test("ToolRegistry.registerMcp() keeps names apart that differ only after 64 characters", async () => {
  const registry = new ToolRegistry();
  const inputSchema = { type: "object" };
  const long = "x".repeat(64);
  const names = [long, `${long}1`, `${long}2`];
  const server = source(names.map((name) => ({ name, inputSchema })));
  const registered = await registry.registerMcp(server);
  assertEquals(registered[0], long);
  assertEquals(registered.map(({ length }) => length), [64, 64, 64]);
  assertEquals(new Set(registered).size, 3);
});

Deno.test("ToolRegistry.registerMcp() registers the first of several tools with the same name", async () => {
  const inputSchema = { type: "object" };
  const listed = [
    { name: "x", inputSchema, description: "first" },
    { name: "y", inputSchema },
    { name: "x", inputSchema, description: "second" },
    { name: "x", inputSchema, description: "first" },
    // The name of the tool "a/b" after conversion.
    { name: "a/b", inputSchema, description: "converted" },
    { name: "a_b_c14cdd", inputSchema },
    { name: "drop", inputSchema },
    { name: "drop", inputSchema },
  ];
  const registry = new ToolRegistry();
  const server = source(listed);
  const errors: unknown[] = [];
  const names = await registry.registerMcp(server, {
    filter: (name) => name !== "drop",
    onError: (error) => errors.push(error),
  });
  assertEquals(names, ["x", "y", "a_b_c14cdd"]);
  assertEquals(registry.names(), names);
  assertEquals(registry.list().map(({ description }) => description), [
    "first",
    undefined,
    "converted",
  ]);
  await registry.resolve("a_b_c14cdd").execute({}, {
    signal: new AbortController().signal,
  } as never);
  assertEquals(server.calls, [["a/b", {}]]);
  assertEquals(
    errors.map((error) => AgentError.isAgentError(error) && [error.code, error.message]),
    [
      ["core", 'Cannot register a second tool "x" of the MCP server'],
      ["core", 'Cannot register a second tool "a_b_c14cdd" of the MCP server'],
    ],
  );
});

Deno.test("ToolRegistry.registerMcp() registers all tools or none", async () => {
  const registry = new ToolRegistry([tool("b")]);
  const schema = { type: "object" };
  await assertRejects(
    () =>
      registry.registerMcp(
        source([{ name: "a", inputSchema: schema }, { name: "b", inputSchema: schema }]),
      ),
    AgentError,
  );
  assertEquals(registry.names(), ["b"]);
  await registry.registerMcp(source([{ name: "b", inputSchema: schema, description: "new" }]), {
    replace: true,
  });
  assertEquals(registry.get("b")?.description, "new");
});

Deno.test("a tool of an MCP server is called only with an object, or with the JSON text of one", async () => {
  const called: unknown[] = [];
  const registry = new ToolRegistry();
  await registry.registerMcp({
    listTools: () => Promise.resolve([{ name: "t", inputSchema: { type: "object" } }]),
    callTool: (_, input) => {
      called.push(input);
      return Promise.resolve({ content: [] });
    },
  });
  const { execute } = registry.resolve("t");
  const context = { signal: new AbortController().signal } as never;
  for (const input of [{ a: 1 }, '{"a":1}', null, undefined]) await execute(input, context);
  assertEquals(called, [{ a: 1 }, { a: 1 }, {}, {}]);
  for (const input of ["", " ", "/tmp", "[1]", '"{}"', "{", "null", ["a"], [{}], 42, 0, true]) {
    const error = await assertRejects(async () => await execute(input, context), ToolError);
    assertStringIncludes(error.message, "the arguments must be an object, got ");
  }
  assertEquals(called.length, 4);
});

Deno.test("ToolRegistry.registerMcp() converts every type of result", async () => {
  const text = { type: "text", text: "hi" };
  const image = { type: "image", data: "AA==", mimeType: "image/png" };
  const file = { type: "file", mediaType: "image/png", data: { type: "data", data: "AA==" } };
  const cases: [unknown, unknown][] = [
    [{ content: [text] }, { type: "text", value: "hi" }],
    [{ content: [text, image] }, { type: "content", value: [text, file] }],
    [{ content: [text], isError: true }, { type: "error-text", value: "hi" }],
    [{ content: [text], structuredContent: { a: 1 } }, { type: "json", value: { a: 1 } }],
    [{ content: [text, image], structuredContent: { a: 1 } }, {
      type: "content",
      value: [{ type: "text", text: '{"a":1}' }, file],
    }],
    [{ content: [{ type: "image", data: "AA==" }] }, {
      type: "content",
      value: [{ ...file, mediaType: "application/octet-stream" }],
    }],
    [{ content: [], structuredContent: { a: 1 }, isError: true }, {
      type: "error-json",
      value: { a: 1 },
    }],
    [{ content: [text], structuredContent: { a: 1 }, isError: true }, {
      type: "error-text",
      value: 'hi\n{"a":1}',
    }],
    [
      {
        content: [{ type: "text", text: '{ "a": 1 }' }],
        structuredContent: { a: 1 },
        isError: true,
      },
      { type: "error-text", value: '{ "a": 1 }' },
    ],
    [{ content: [{ type: "resource", resource: { uri: "x:", text: "body" } }] }, {
      type: "text",
      value: "body",
    }],
    [{ content: [{ type: "resource", resource: { uri: "x:", blob: "AA==", mimeType: "a/b" } }] }, {
      type: "content",
      value: [{ type: "file", mediaType: "a/b", data: { type: "data", data: "AA==" } }],
    }],
    [{ content: [{ type: "resource", resource: { uri: "x:", blob: "AA==", mimeType: null } }] }, {
      type: "content",
      value: [{ ...file, mediaType: "application/octet-stream" }],
    }],
    [{ content: [{ type: "audio", data: "AA==", mimeType: "audio/wav" }], structuredContent: [] }, {
      type: "content",
      value: [{ type: "text", text: "[]" }, { ...file, mediaType: "audio/wav" }],
    }],
    [{ content: null, structuredContent: { a: 1 }, isError: true }, {
      type: "error-json",
      value: { a: 1 },
    }],
    [{ content: [image], isError: true }, { type: "error-text", value: "[image/png]" }],
    [{ content: [{ type: "resource_link", uri: "x:", name: "x" }] }, {
      type: "text",
      value: '{"type":"resource_link","uri":"x:","name":"x"}',
    }],
    [{ content: [] }, { type: "content", value: [] }],
  ];
  for (const [result, expected] of cases) {
    const registry = new ToolRegistry();
    await registry.registerMcp(source([{ name: "t", inputSchema: { type: "object" } }], result));
    const output = await registry.resolve("t").execute(
      {},
      { signal: new AbortController().signal } as never,
    );
    assert(output instanceof ToolOutput);
    assertEquals<unknown>(output.output, expected);
  }
});

Deno.test("ToolRegistry.registerMcp() leaves validation to the server unless a validator is given", async () => {
  const inputSchema = { $schema: "https://example.com/dialect", type: "strnig", pattern: "(" };
  const registry = new ToolRegistry();
  await registry.registerMcp(source([{ name: "t", inputSchema }]));
  assertEquals(registry.definitions()[0]?.inputSchema, inputSchema);
  assertEquals(await registry.find("t")?.checkInput({ a: 1 }), { ok: true, value: { a: 1 } });

  const validator = { compile: () => () => [{ path: "/a", message: "bad" }] };
  const checked = source([{ name: "u", inputSchema: { type: "object" } }]);
  await registry.registerMcp(checked, { validator });
  assertEquals((await registry.find("u")?.checkInput({ a: 1 }))?.ok, false);
});

Deno.test("ToolRegistry.register() accepts an empty schema and a frozen schema", async () => {
  const frozen = Object.freeze({
    properties: Object.freeze({ a: Object.freeze({ type: "string" }) }),
  });
  const registry = new ToolRegistry([
    { name: "empty", inputSchema: {}, execute: () => 1 },
    { name: "frozen", inputSchema: frozen, execute: () => 1 },
  ]);
  assertEquals(registry.definitions()[0]?.inputSchema, { type: "object" });
  assertEquals((await registry.find("empty")?.checkInput({ a: 1 }))?.ok, true);
  assertEquals((await registry.find("frozen")?.checkInput({ a: 1 }))?.ok, false);
});

const UNUSABLE: readonly [unknown, string][] = [
  [{ type: "array" }, '"inputSchema.type" must be "object", got "array"'],
  [{ properties: { a: { type: "strnig" } } }, '"/properties/a/type" must be one of "array"'],
  [{ $schema: "https://example.com/dialect" }, '"/$schema" must be one of'],
  [{ city: { "~standard": {} } }, "wrap it, for example in z.object(…)"],
];
for (const [inputSchema, message] of UNUSABLE) {
  Deno.test(`ToolRegistry.register() throws for a schema: ${message}`, () => {
    const tool = { name: "t", inputSchema: inputSchema as Tool["inputSchema"], execute: () => 1 };
    const error = assertThrows(() => new ToolRegistry([tool]), TypeError, message);
    assert(error.message.startsWith('Cannot register tool "t": '));
  });
}

Deno.test("ToolRegistry.register() compiles a schema once", async () => {
  let compiled = 0;
  const registry = new ToolRegistry(
    [{ name: "t", inputSchema: {}, execute: () => 1 }],
    { validator: { compile: () => (compiled++, () => []) } },
  );
  assertEquals(compiled, 1);
  for (let time = 0; time < 3; time++) await registry.find("t")?.checkInput({});
  assertEquals(compiled, 1);
});
