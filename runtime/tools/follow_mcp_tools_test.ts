import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { runToolLoop } from "../loop/loop.ts";
import { AgentError } from "../shared/error.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import type { McpToolLike, McpToolSource } from "./mcp_tools.ts";
import { ToolRegistry } from "./registry.ts";

/** A fake server whose list of tools a test can change. */
class ChangingServer implements McpToolSource {
  readonly calls: unknown[] = [];
  /** Resolves when the consumer of `watchTools` has ended the iteration. */
  readonly ended = Promise.withResolvers<void>();
  #tools: readonly McpToolLike[];
  #change = Promise.withResolvers<"changed" | "end">();
  #read = Promise.withResolvers<void>();

  constructor(...tools: readonly McpToolLike[]) {
    this.#tools = tools;
  }

  /** Changes the list. Resolves when the consumer has processed the new list. */
  async list(...tools: readonly McpToolLike[]): Promise<void> {
    this.#tools = tools;
    this.#read = Promise.withResolvers();
    this.#change.resolve("changed");
    await this.#read.promise;
  }

  /** Ends the iteration of `watchTools`, with the given error, if any. */
  async end(error?: Error): Promise<void> {
    if (error === undefined) this.#change.resolve("end");
    else this.#change.reject(error);
    await this.ended.promise;
  }

  listTools(): Promise<readonly McpToolLike[]> {
    return Promise.resolve(this.#tools);
  }

  callTool(...call: Parameters<McpToolSource["callTool"]>): Promise<unknown> {
    const [name, args, options = {}] = call;
    this.calls.push([name, args, options.meta]);
    return this.#tools.some((tool) => tool.name === name)
      ? Promise.resolve({ content: [{ type: "text", text: "done" }] })
      : Promise.reject(new Error(`Cannot call tool "${name}": unknown tool`));
  }

  async *watchTools(
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<readonly McpToolLike[]> {
    signal?.addEventListener("abort", () => this.#change.reject(signal.reason));
    try {
      for (;;) {
        yield this.#tools;
        this.#read.resolve();
        if (await this.#change.promise === "end") return;
        this.#change = Promise.withResolvers();
      }
    } finally {
      this.ended.resolve();
    }
  }
}

function tool(name: string, description = ""): McpToolLike {
  return { name, description, inputSchema: { type: "object" } };
}

/** Registers a server's tools with `follow`, and collects the errors. */
async function follow(
  server: McpToolSource,
  registry = new ToolRegistry(),
  options: Parameters<ToolRegistry["registerMcp"]>[1] = {},
): Promise<{ readonly registry: ToolRegistry; readonly errors: unknown[] }> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  await registry.registerMcp(server, { follow: true, onError, ...options });
  return { registry, errors };
}

Deno.test("registerMcp() with follow adds, changes and removes tools", async () => {
  const server = new ChangingServer(tool("a"), tool("b"));
  const { registry, errors } = await follow(server, new ToolRegistry(), { prefix: "x_" });
  assertEquals(registry.names(), ["x_a", "x_b"]);
  await server.list(tool("a"), tool("b", "new"), tool("c"));
  assertEquals(registry.names(), ["x_a", "x_b", "x_c"]);
  assertEquals(registry.get("x_b")?.description, "new");
  await server.list(tool("c"));
  assertEquals(registry.names(), ["x_c"]);
  await server.end();
  assertEquals([registry.names(), errors], [["x_c"], []]);
});

Deno.test("registerMcp() with follow keeps a grant for a tool that the server changes, but not for one that it removes", async () => {
  const server = new ChangingServer(tool("a"), tool("b"));
  const { registry } = await follow(server);
  const view = registry.subset(["a", "b"]);
  await server.list(tool("a", "new"), tool("b"));
  assertEquals([view.names(), view.get("a")?.description], [["a", "b"], "new"]);
  await server.list(tool("a", "new"));
  await server.list(tool("a", "new"), tool("b"));
  assertEquals([registry.names(), view.names()], [["a", "b"], ["a"]]);
  await server.end();
});

Deno.test("registerMcp() with follow leaves the definitions unchanged if no tool has changed", async () => {
  const server = new ChangingServer(tool("a"), tool("b"));
  const { registry } = await follow(server);
  const [definitions, entry] = [registry.definitions(), registry.get("a")];
  await server.list({ ...tool("a"), annotations: undefined }, tool("b"));
  assertStrictEquals(registry.definitions(), definitions);
  await server.list(tool("a"));
  assertStrictEquals(registry.get("a"), entry);
  await server.list();
  assertEquals(registry.size, 0);
  await server.end();
});

Deno.test("registerMcp() with follow keeps the options hidden and filter", async () => {
  const server = new ChangingServer(tool("a"));
  const options = { hidden: true, filter: (name: string) => name !== "drop" };
  const { registry } = await follow(server, new ToolRegistry(), options);
  await server.list(tool("a"), tool("b"), tool("drop"));
  assertEquals([registry.names(), registry.definitions()], [["a", "b"], []]);
  await server.end();
});

Deno.test("registerMcp() with follow replaces tools of the caller only when it is called", async () => {
  const own = { name: "own", inputSchema: { type: "object" }, execute: () => "own" };
  const server = new ChangingServer(tool("a"));
  const local = new ToolRegistry([own, { ...own, name: "a" }]);
  const { registry, errors } = await follow(server, local, { replace: true });
  assertEquals(registry.names(), ["own", "a"]);
  const registered = registry.get("a");
  await server.list(tool("a"), tool("own"));
  assertEquals([errors.length, registry.get("own"), registry.get("a")], [1, own, registered]);
  await server.list({ ...tool("a"), description: "changed" });
  assertEquals([errors.length, registry.get("a")?.description], [1, "changed"]);
  await server.end();
});

Deno.test("registerMcp() registers no tool if the filter returns another value than a boolean", async () => {
  // A JavaScript caller can pass any function.
  const values: readonly (() => unknown)[] = [
    () => undefined,
    () => 1,
    () => "yes",
    () => ({}),
    () => Promise.resolve(true),
    () => Promise.reject(new Error("no database")),
  ];
  for (const value of values) {
    const filter = (): boolean => Object.assign({ value: false }, { value: value() }).value;
    const registry = new ToolRegistry();
    const server = new ChangingServer(tool("a"));
    await assertRejects(() => registry.registerMcp(server, { filter }), TypeError, "filter()");
    assertEquals(registry.names(), []);
  }
});

Deno.test("registerMcp() with follow does not replace or remove tools of the caller", async () => {
  const own = { name: "own", inputSchema: { type: "object" }, execute: () => "own" };
  const server = new ChangingServer(tool("a"), tool("b"));
  const { registry, errors } = await follow(server, new ToolRegistry([own]));
  registry.register({ ...own, name: "a" }, { replace: true });
  await server.list(tool("a"), tool("b"), tool("own"));
  assertEquals([errors.length, registry.names()], [1, ["own", "a", "b"]]);
  assert(AgentError.isAgentError(errors[0]) && errors[0].message.includes('"own"'));
  await server.list();
  assertEquals([errors.length, registry.names()], [1, ["own", "a"]]);
  await server.end();
});

Deno.test("registerMcp() with follow does not restore a tool that the caller has unregistered", async () => {
  const server = new ChangingServer(tool("a"), tool("b"));
  const { registry } = await follow(server);
  registry.unregister("a");
  await server.list(tool("a"), tool("b"), tool("c"));
  assertEquals(registry.names(), ["b", "c"]);
  await server.list(tool("a", "changed"), tool("b"));
  assertEquals(registry.names(), ["b", "a"]);
  await server.end();
});

Deno.test("registerMcp() with follow reports a list that cannot be registered and applies the next list", async () => {
  const own = { name: "own", inputSchema: { type: "object" }, execute: () => "own" };
  const server = new ChangingServer(tool("a"));
  const { registry, errors } = await follow(server, new ToolRegistry([own]));
  await server.list(tool("b"), tool("own"));
  assertEquals([errors.length, registry.names()], [1, ["own", "a"]]);
  await server.list(tool("b"));
  assertEquals([errors.length, registry.names()], [1, ["own", "b"]]);
  await server.end();
});

Deno.test("registerMcp() with follow uses the first of two tools with the same name in each list", async () => {
  const server = new ChangingServer(tool("a", "1"), tool("a", "2"));
  const { registry, errors } = await follow(server);
  const first = registry.get("a");
  assertEquals([first?.description, errors.length], ["1", 1]);
  await server.list(tool("a", "1"), tool("b"), tool("a", "3"));
  assertStrictEquals(registry.get("a"), first);
  assertEquals([registry.names(), errors.length], [["a", "b"], 2]);
  await server.list(tool("a", "3"), tool("b"));
  assertEquals([registry.get("a")?.description, errors.length], ["3", 2]);
  await server.end();
});

Deno.test("registerMcp() with follow reports a lost connection and keeps the tools", async () => {
  const server = new ChangingServer(tool("a"));
  const reported = Promise.withResolvers<unknown>();
  const { registry } = await follow(server, undefined, { onError: reported.resolve });
  const lost = new Error("the process exited");
  await server.end(lost);
  assertStrictEquals(await reported.promise, lost);
  assertEquals(registry.names(), ["a"]);
});

Deno.test("registerMcp() with follow ends when the signal is aborted, without an error", async () => {
  const server = new ChangingServer(tool("a"));
  const stop = new AbortController();
  const { registry, errors } = await follow(server, new ToolRegistry(), { signal: stop.signal });
  stop.abort();
  await server.ended.promise;
  assertEquals([errors, registry.names()], [[], ["a"]]);
});

Deno.test("registerMcp() with follow rejects if the first list fails, and ends the iteration", async () => {
  const own = { name: "own", inputSchema: { type: "object" }, execute: () => "own" };
  const server = new ChangingServer(tool("x"), tool("own"));
  const registry = new ToolRegistry([own]);
  await assertRejects(
    () => registry.registerMcp(server, { follow: true }),
    AgentError,
    "already registered",
  );
  await server.ended.promise;
  assertEquals(registry.names(), ["own"]);
  const failing: McpToolSource = {
    ...{ listTools: () => Promise.resolve([]), callTool: () => Promise.resolve({}) },
    watchTools: () => new ReadableStream({ start: (list) => list.error(new Error("lost")) }),
  };
  await assertRejects(() => registry.registerMcp(failing, { follow: true }), Error, "lost");
  const reason = new Error("enough");
  const options = { follow: true, signal: AbortSignal.abort(reason) };
  assertEquals(await assertRejects(() => registry.registerMcp(server, options)), reason);
});

Deno.test("a call to a tool that an MCP server has removed returns an error result", async () => {
  const server = new ChangingServer(tool("read"), tool("drop"));
  const { registry } = await follow(server);
  const removed = registry.resolve("drop");
  await server.list(tool("read"));
  const script = [{ calls: [{ toolName: "drop" }] }, { text: "sorry" }];
  const { messages } = await runToolLoop({ model: scriptedModel(script), registry }, "go");
  assert(JSON.stringify(messages).includes("error-text"), JSON.stringify(messages));
  // The model may have received an older list of tools than the server's current list.
  const stale = new ToolRegistry([removed]);
  const late = await runToolLoop({
    model: scriptedModel(script),
    registry: stale,
    onError: () => {},
  }, "go");
  assert(JSON.stringify(late.messages).includes("unknown tool"), JSON.stringify(late.messages));
  await server.end();
});

Deno.test("registerMcp() passes the result of meta to each call", async () => {
  const server = new ChangingServer(tool("pay"));
  const registry = new ToolRegistry();
  const keys: string[] = [];
  await registry.registerMcp(server, {
    meta: ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      return { "example.com/key": idempotencyKey };
    },
  });
  const script = [{ calls: [{ toolName: "pay", input: { euros: 5 } }] }, { text: "paid" }];
  await runToolLoop({ model: scriptedModel(script), registry }, "go");
  const [key] = keys;
  assert(key !== undefined && key !== "");
  assertEquals(server.calls, [["pay", { euros: 5 }, { "example.com/key": key }]]);
});
