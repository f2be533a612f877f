import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { McpClient } from "../client.ts";
import { mcpGateway, type OwnedItem, type OwnerStore } from "../gateway.ts";
import { McpError, McpServer } from "../server.ts";
import { breakable, clientOf, connectTo, openGateway } from "../testdata/gateway.ts";

type Kind = "tools" | "prompts" | "resources" | "templates";

/** Registers an item whose result is the given text. */
function register(server: McpServer, kind: Kind, name: string, text: string): void {
  if (kind === "tools") server.registerTool({ name, description: "" }, () => text);
  if (kind === "prompts") server.registerPrompt({ name, arguments: [] }, () => text);
  if (kind === "resources") server.registerResource({ uri: name, name: "r" }, () => text);
  if (kind === "templates") {
    server.registerResourceTemplate({ uriTemplate: name, name: "t" }, () => text);
  }
}

function serverWith(text: string, items: Partial<Record<Kind, readonly string[]>>): McpServer {
  const server = new McpServer({ name: text, version: "1" });
  for (const kind of ["tools", "prompts", "resources", "templates"] as const) {
    for (const name of items[kind] ?? []) register(server, kind, name, text);
  }
  return server;
}

/** Returns the names that a client lists. */
async function listNames(client: McpClient, kind: Kind): Promise<readonly string[]> {
  if (kind === "tools") return (await client.listTools()).map(({ name }) => name);
  if (kind === "prompts") return (await client.listPrompts()).map(({ name }) => name);
  if (kind === "resources") return (await client.listResources()).map(({ uri }) => uri);
  return (await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate);
}

/** Returns the text of the server that responds, or the message of the error. */
async function use(client: McpClient, kind: Kind, name: string): Promise<string> {
  try {
    if (kind === "tools") return textOf((await client.callTool(name, {})).content[0]);
    if (kind === "prompts") return textOf((await client.getPrompt(name)).messages[0]?.content);
    return textOf((await client.getResource(name)).contents[0]);
  } catch (error) {
    assert(error instanceof McpError);
    return "reason" in error.details ? error.details.reason : error.message;
  }
}

function textOf(content: object | undefined): string {
  return String(Reflect.get(content ?? {}, "text"));
}

const NAMES = { tools: "x", prompts: "x", resources: "x:///1", templates: "x:///{id}" } as const;
const KINDS = ["tools", "prompts", "resources", "templates"] as const;

for (const kind of KINDS) {
  const name = NAMES[kind];
  const used = kind === "templates" ? "x:///1" : name;

  Deno.test(`an item that a second server offers later stays with the first server (${kind})`, async () => {
    const a = serverWith("of a", { [kind]: ["own:///{x}"] });
    const b = serverWith("of b", { [kind]: [name] });
    await using gateway = await openGateway({
      a: { client: clientOf(a), prefix: "" },
      b: { client: clientOf(b), prefix: "" },
    });
    await using client = await connectTo(gateway.server);
    register(a, kind, name, "of a");
    for (let round = 0; round < 3; round++) {
      const [clash, ...others] = await gateway.refresh();
      assertEquals([clash?.server, clash?.owner, others.length], ["a", "b", 0]);
      assertEquals(await use(client, kind, used), "of b");
      assertEquals((await listNames(client, kind)).filter((each) => each === name), [name]);
    }
    assertEquals(gateway.errors, gateway.clashes().map(({ message }) => message));
    assert(gateway.errors[0]?.includes('the server "b" offers it and was loaded before "a"'));
  });

  Deno.test(`the first server in "upstreams" owns an item that both offer at the start (${kind})`, async () => {
    const [a, b] = [serverWith("of a", { [kind]: [name] }), serverWith("of b", { [kind]: [name] })];
    const { slow, answer } = slowClient(a);
    const opening = openGateway({
      a: { client: slow, prefix: "" },
      b: { client: clientOf(b), prefix: "" },
    });
    answer();
    await using gateway = await opening;
    await using client = await connectTo(gateway.server);
    assertEquals(await use(client, kind, used), "of a");
    assertEquals(gateway.clashes().map(({ server, owner }) => [server, owner]), [["b", "a"]]);
  });

  Deno.test(`no other server receives requests for an item while its owner is down (${kind})`, async () => {
    const [a, b] = [serverWith("of a", { [kind]: [name] }), serverWith("of b", { [kind]: [name] })];
    const first = breakable(a);
    await using gateway = await openGateway({
      a: { client: first.client, prefix: "" },
      b: { client: clientOf(b), prefix: "" },
    });
    await using client = await connectTo(gateway.server);
    first.isDown(true);
    await first.break();
    for (let round = 0; round < 2; round++) {
      assertEquals(await use(client, kind, used), 'The server "a" is unreachable');
      assertEquals((await listNames(client, kind)).includes(name), false);
    }
    first.isDown(false);
    await gateway.refresh();
    assertEquals(await use(client, kind, used), "of a");
  });

  Deno.test(`an item of the gateway's own server precedes the items of all servers (${kind})`, async () => {
    const a = serverWith("of a", { [kind]: [name] });
    await using gateway = await openGateway({ a: { client: clientOf(a), prefix: "" } });
    await using client = await connectTo(gateway.server);
    assertEquals(await use(client, kind, used), "of a");
    register(gateway.server, kind, name, "own");
    assertEquals(await use(client, kind, used), "own");
    assertEquals((await listNames(client, kind)).filter((each) => each === name), [name]);
    assertEquals(gateway.clashes().map(({ server, owner }) => [server, owner]), [["a", ""]]);
    assert(gateway.errors[0]?.includes("the gateway's own server offers it"), gateway.errors[0]);
  });
}

/** Returns a client whose lists arrive only after `answer` has been called. */
function slowClient(server: McpServer): { readonly slow: McpClient; readonly answer: () => void } {
  const slow = clientOf(server);
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  const listTools = slow.listTools.bind(slow);
  slow.listTools = async (options) => {
    await promise;
    return await listTools(options);
  };
  return { slow, answer };
}

Deno.test("a URI under the template of another server is read from the owner of the template", async () => {
  const a = serverWith("of a", { templates: ["notes:///{id}"] });
  const b = serverWith("of b", { resources: ["b:///1"] });
  await using gateway = await openGateway({
    a: { client: clientOf(a) },
    b: { client: clientOf(b) },
  });
  await using client = await connectTo(gateway.server);
  register(b, "resources", "notes:///payroll", "of b");
  const [clash] = await gateway.refresh();
  assertEquals(clash?.ownerItem, { kind: "resource template", name: "notes:///{id}" });
  assertEquals(gateway.errors, [
    'Cannot offer the resource "notes:///payroll" of the server "b": the resource template ' +
    '"notes:///{id}" of the server "a" covers it; change a prefix, or the order of "upstreams"',
  ]);
  assertEquals(await use(client, "resources", "notes:///payroll"), "of a");
  assertEquals(await listNames(client, "resources"), ["b:///1"]);
  await using stream = await client.listen({ resourceSubscriptions: ["notes:///payroll"] });
  b.resourceUpdated("notes:///payroll");
  a.resourceUpdated("notes:///payroll");
  for await (const { params } of stream) {
    assertEquals(params?.uri, "notes:///payroll");
    break;
  }
});

Deno.test("a clash after a list change is reported without a request of a caller", async () => {
  using time = new FakeTime();
  const a = serverWith("of a", { tools: ["x"] });
  const b = serverWith("of b", { tools: ["y"] });
  await using gateway = await openGateway({
    a: { client: clientOf(a), prefix: "" },
    b: { client: clientOf(b), prefix: "" },
  });
  register(b, "tools", "x", "of b");
  register(b, "tools", "z", "of b");
  for (let waitedMs = 0; waitedMs < 200; waitedMs += 50) await time.tickAsync(50);
  assertEquals(gateway.errors.length, 1);
  assertEquals(gateway.clashes().map(({ name }) => name), ["x"]);
});

Deno.test("a template that covers the resource of another server is omitted", async () => {
  const a = serverWith("of a", { resources: ["notes:///1"] });
  const b = serverWith("of b", { templates: ["notes:///{id}"] });
  await using gateway = await openGateway({
    a: { client: clientOf(a) },
    b: { client: clientOf(b) },
  });
  await using client = await connectTo(gateway.server);
  assertEquals(await listNames(client, "templates"), []);
  assertEquals(await use(client, "resources", "notes:///1"), "of a");
  assertEquals(
    await use(client, "resources", "notes:///2"),
    'Resource not found: "notes:///2"',
  );
  a.removeResource("notes:///1");
  await gateway.refresh();
  assert((await use(client, "resources", "notes:///1")).startsWith("Resource not found"));
});

Deno.test("a template of the gateway's own server covers the URIs of other servers", async () => {
  const a = serverWith("of a", { resources: ["n:///1"], templates: ["n:///x/{y}"] });
  await using gateway = await openGateway({ a: { client: clientOf(a) } });
  register(gateway.server, "templates", "n:///{+path}", "own");
  await using client = await connectTo(gateway.server);
  assertEquals(await listNames(client, "resources"), []);
  assertEquals(await listNames(client, "templates"), ["n:///{+path}"]);
  for (const uri of ["n:///1", "n:///x/1", "n:///other"]) {
    assertEquals(await use(client, "resources", uri), "own");
  }
});

Deno.test("URIs that resemble those of the gateway's own server are not offered", async () => {
  const a = serverWith("of a", {
    resources: ["N:///one", "n:///T/1"],
    templates: ["N:///on{x}", "n:///T/u/{x}"],
  });
  await using gateway = await openGateway({ a: { client: clientOf(a) } });
  await using client = await connectTo(gateway.server);
  assertEquals((await listNames(client, "resources")).length, 2);
  register(gateway.server, "resources", "n:///one", "own");
  register(gateway.server, "templates", "n:///t/{x}", "own");
  assertEquals(await listNames(client, "resources"), ["n:///one"]);
  assertEquals(await listNames(client, "templates"), ["n:///t/{x}"]);
  for (const uri of ["N:///one", "n:///T/1"]) {
    assert((await use(client, "resources", uri)).startsWith("Resource not found"), uri);
  }
  assertEquals(gateway.clashes().length, 4);
  gateway.server.removeResource("n:///one");
  assertEquals(await listNames(client, "resources"), ["N:///one"]);
});

Deno.test("a server that no longer lists an item still owns it", async () => {
  const a = serverWith("of a", { tools: ["x"] });
  const b = serverWith("of b", { tools: ["y"] });
  await using gateway = await openGateway({
    a: { client: clientOf(a), prefix: "" },
    b: { client: clientOf(b), prefix: "" },
  });
  await using client = await connectTo(gateway.server);
  a.removeTool("x");
  register(b, "tools", "x", "of b");
  await gateway.refresh();
  assertEquals(await listNames(client, "tools"), ["y"]);
  await assertRejects(() => client.callTool("x", {}), McpError, "unknown tool");
});

Deno.test("a hidden item of one server is not replaced by the item of another server", async () => {
  const items = { tools: ["x"], prompts: ["x"], resources: ["x:///1"] };
  await using gateway = await openGateway({
    a: { client: clientOf(serverWith("of a", items)), prefix: "", allow: () => false },
    b: { client: clientOf(serverWith("of b", items)), prefix: "" },
  });
  await using client = await connectTo(gateway.server);
  for (const kind of ["tools", "prompts", "resources"] as const) {
    assertEquals(await listNames(client, kind), []);
    const text = await use(client, kind, NAMES[kind]);
    assert(/unknown|not found/i.test(text), text);
  }
});

Deno.test("a server that lists nothing in time delays the claims of later servers only once", async () => {
  using time = new FakeTime();
  const { slow, answer } = slowClient(serverWith("of a", { tools: ["x"] }));
  const b = clientOf(serverWith("of b", { tools: ["x"] }));
  const opening = openGateway({ a: { client: slow, prefix: "" }, b: { client: b, prefix: "" } }, {
    listTimeoutMs: 1000,
  });
  for (let waitedMs = 0; waitedMs <= 1000; waitedMs += 100) await time.tickAsync(100);
  answer();
  await using gateway = await opening;
  await using client = await connectTo(gateway.server);
  assertEquals(await use(client, "tools", "x"), "of b");
  const [clash] = gateway.clashes();
  assert(clash?.message.includes('offers it and was loaded before "a"'), clash?.message);
});

Deno.test("an item of a principal's own server does not move to a shared server", async () => {
  const shared = serverWith("shared", { tools: ["s"] });
  await using gateway = await openGateway({
    own: { client: () => clientOf(serverWith("own", { tools: ["s", "o"] })), prefix: "" },
    shared: { client: clientOf(shared), prefix: "" },
  });
  await using client = await connectTo(gateway.server);
  // The shared servers are loaded when the gateway starts.
  assertEquals(await use(client, "tools", "s"), "shared");
  assertEquals(await use(client, "tools", "o"), "own");
  register(shared, "tools", "o", "shared");
  await gateway.refresh();
  assertEquals(await use(client, "tools", "o"), "own");
  assertEquals(await listNames(client, "tools"), ["o", "s"]);
  assertEquals(gateway.clashes().map(({ name, owner }) => [name, owner]).sort(), [
    ["o", "own"],
    ["s", "shared"],
  ]);
});

Deno.test("the first load of a principal's servers follows the order of the servers", async () => {
  const { slow, answer } = slowClient(serverWith("of a", { tools: ["x"] }));
  await using gateway = await openGateway({
    a: { client: () => slow, prefix: "" },
    b: { client: () => clientOf(serverWith("of b", { tools: ["x", "b"] })), prefix: "b" },
    c: { client: () => clientOf(serverWith("of c", { tools: ["x"] })), prefix: "" },
  });
  await using client = await connectTo(gateway.server);
  const text = use(client, "tools", "x");
  answer();
  assertEquals(await text, "of a");
});

/** A store in memory whose next calls can fail. */
function memoryStore(): OwnerStore & { saved: readonly OwnedItem[]; failure: Error | undefined } {
  const store = {
    saved: Array.of<OwnedItem>(),
    failure: Array.of<Error>()[0],
    load: () => store.failure ? Promise.reject(store.failure) : Promise.resolve(store.saved),
    save: (items: readonly OwnedItem[]) => {
      if (store.failure !== undefined) return Promise.reject(store.failure);
      store.saved = [...items];
      return Promise.resolve();
    },
  };
  return store;
}

Deno.test("a store keeps the owners of items after a restart, also while an owner is down", async () => {
  const owners = memoryStore();
  const [a, b] = [serverWith("of a", { tools: ["x"] }), serverWith("of b", { tools: ["x", "y"] })];
  const first = breakable(a);
  const upstreams = () => ({
    a: { client: first.client, prefix: "" },
    b: { client: clientOf(b), prefix: "" },
  });
  await (await openGateway(upstreams(), { owners })).close();
  assertEquals(owners.saved, [
    { kind: "tool", name: "x", server: "a", ownName: "x" },
    { kind: "tool", name: "y", server: "b", ownName: "y" },
  ]);
  first.isDown(true);
  await using gateway = await openGateway(upstreams(), { owners });
  await using client = await connectTo(gateway.server);
  assertEquals(await listNames(client, "tools"), ["y"]);
  assertEquals(await use(client, "tools", "x"), 'The server "a" is unreachable');
  const { a: _a, ...others } = upstreams();
  await using second = await openGateway(others, { owners });
  await using user = await connectTo(second.server);
  assertEquals(await use(user, "tools", "x"), "of b");
});

Deno.test("a gateway does not start without its stored owners", async () => {
  const owners = memoryStore();
  const open = (store: OwnerStore) =>
    mcpGateway({
      name: "all",
      version: "1",
      upstreams: { a: { client: clientOf(serverWith("a", { tools: ["x"] })) } },
      owners: store,
      listTimeoutMs: 10,
      onError: () => {},
    });
  owners.failure = new Error("no disk");
  await assertRejects(() => open(owners), McpError, '"owners.load" failed: no disk');
  const never = { ...memoryStore(), load: () => new Promise<never>(() => {}) };
  await assertRejects(() => open(never), McpError, "timed out after 10 ms");
  const stored: readonly unknown[] = [undefined, {}, [1], [{ kind: "tool", name: "x" }]];
  for (const value of stored) {
    const load = () => Promise.resolve(JSON.parse(JSON.stringify(value ?? null)));
    await assertRejects(() => open({ ...memoryStore(), load }), McpError, '"owners.load" must');
  }
});

Deno.test("a server offers no new item whose owner cannot be stored", async () => {
  for (const isHanging of [false, true]) {
    const owners = memoryStore();
    const a = serverWith("of a", { tools: ["x"] });
    const options = { owners, listTimeoutMs: 50, retryMs: 1 };
    await using gateway = await openGateway({ a: { client: clientOf(a), prefix: "" } }, options);
    await using client = await connectTo(gateway.server);
    const { save } = owners;
    owners.save = () => isHanging ? new Promise(() => {}) : Promise.reject(new Error("no disk"));
    register(a, "tools", "y", "of a");
    await gateway.refresh();
    assertEquals(await use(client, "tools", "y"), 'The server "a" is unreachable');
    assert(gateway.errors.some((text) => /no disk|timed out/.test(text)), gateway.errors.join());
    owners.save = save;
    await gateway.refresh();
    assertEquals(await use(client, "tools", "y"), "of a");
    assertEquals(owners.saved.map(({ name }) => name), ["x", "y"]);
  }
});
