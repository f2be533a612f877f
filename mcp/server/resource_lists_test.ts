/** Tests of lists that contain the resources of resource templates. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createMemoryTransport, HttpTransport, McpClient, McpError } from "../client.ts";
import {
  mcpHandler,
  McpServer,
  type McpServerConfig,
  type Principal,
  servePipe,
} from "../server.ts";
import type { JsonObject } from "../shared/json.ts";
import { Answer, listOf, objectOf } from "../testdata/answer.ts";
import { modern } from "../testdata/http.ts";
import type { ListTemplateResources, ResourcePage } from "./resource_templates.ts";

const ANN: Principal = { subject: "ann" };
const BOB: Principal = { subject: "bob" };

function make(config: Partial<McpServerConfig> = {}): McpServer {
  return new McpServer({ name: "s", version: "1", pageSize: 2, ...config });
}

/** Registers the template of a table with rows from 1 to `count`, which lists its rows. */
function addTable(server: McpServer, table: string, count: number): void {
  server.registerResourceTemplate(
    { uriTemplate: `db:///${table}/{id}`, name: table },
    (_uri, { id }) => `${table} ${id}`,
    { list: ({ cursor, limit }) => rowsOf(table, count, Number(cursor ?? 0), limit) },
  );
}

function rowsOf(table: string, count: number, start: number, limit: number): ResourcePage {
  const end = Math.min(start + limit, count);
  const ids = Array.from({ length: end - start }, (_, index) => start + index + 1);
  const resources = ids.map((id) => ({ uri: `db:///${table}/${id}`, name: `${id}` }));
  return end < count ? { resources, nextCursor: `${end}` } : { resources };
}

function addTemplate(server: McpServer, list: ListTemplateResources): void {
  server.registerResourceTemplate({ uriTemplate: "db:///a/{id}", name: "a" }, () => "", { list });
}

async function ask(
  server: McpServer,
  params?: JsonObject,
  principal?: Principal,
): Promise<Answer> {
  const handler = mcpHandler(server);
  const context = principal === undefined ? {} : { principal };
  const response = await handler(modern("resources/list", params ?? {}), context);
  const answer = new Answer(await response.json());
  await handler.close();
  return answer;
}

/** Returns the URIs on each page. */
async function pagesOf(server: McpServer, principal?: Principal): Promise<readonly unknown[][]> {
  const pages: unknown[][] = [];
  let params: JsonObject = {};
  do {
    const { result: { resources, nextCursor } } = await ask(server, params, principal);
    pages.push(listOf(resources).map(({ uri }) => uri));
    params = nextCursor === undefined ? {} : { cursor: nextCursor };
  } while ("cursor" in params);
  return pages;
}

async function cursorOf(server: McpServer, principal?: Principal): Promise<string> {
  const { nextCursor } = (await ask(server, {}, principal)).result;
  assert(typeof nextCursor === "string");
  return nextCursor;
}

Deno.test("a list contains the registered resources, then the resources of each template", async () => {
  const server = make();
  addTable(server, "a", 3);
  server.registerResource({ uri: "r:///1", name: "1" }, () => "");
  server.registerResourceTemplate({ uriTemplate: "x:///{x}", name: "not listed" }, () => "");
  addTable(server, "b", 2);
  addTable(server, "empty", 0);
  addTable(server, "c", 1);
  assertEquals(await pagesOf(server), [
    ["r:///1"],
    ["db:///a/1", "db:///a/2"],
    ["db:///a/3"],
    ["db:///b/1", "db:///b/2"],
    [],
    ["db:///c/1"],
  ]);
});

Deno.test("a list without registered resources begins with the first template", async () => {
  const server = make();
  addTable(server, "a", 1);
  assertEquals(await pagesOf(server), [["db:///a/1"]]);
  const full = make();
  for (const uri of ["r:///1", "r:///2"]) full.registerResource({ uri, name: "" }, () => "");
  addTable(full, "a", 1);
  assertEquals(await pagesOf(full), [["r:///1", "r:///2"], ["db:///a/1"]]);
});

Deno.test("a listed resource has all members, and can be read", async () => {
  const server = make();
  const described = {
    uri: "db:///a/1",
    name: "one",
    title: "One",
    mimeType: "text/plain",
    size: 3,
    annotations: { priority: 1 },
    _meta: { row: 1 },
  };
  server.registerResourceTemplate(
    { uriTemplate: "db:///a/{id}", name: "a" },
    (_uri, { id }) => `row ${id}`,
    { list: () => Promise.resolve({ resources: [described] }) },
  );
  assertEquals((await ask(server)).result.resources, [described]);
  const params = { uri: "db:///a/1" };
  const request = { jsonrpc: "2.0", id: 1, method: "resources/read", params } as const;
  const { result } = new Answer(await server.handleRequest(request));
  assertEquals(listOf(result.contents).map(({ text }) => text), ["row 1"]);
});

Deno.test("a client cannot read or change the cursor of a template", async () => {
  const requested: unknown[] = [];
  const server = make();
  addTemplate(server, ({ cursor }) => {
    requested.push(cursor);
    return { resources: [], nextCursor: `secret ${requested.length}` };
  });
  const cursor = await cursorOf(server);
  assert(!atob(cursor).includes("secret"));
  assertEquals((await ask(server, { cursor })).isError, false);
  const changed = cursor.replace(/^./, cursor.startsWith("A") ? "B" : "A");
  for (
    const wrong of [changed, "secret 1", "0.secret 1", "db:///a/{id}", "", "A".repeat(5000)]
  ) assertEquals((await ask(server, { cursor: wrong })).code, -32602, wrong);
  assertEquals(requested, [undefined, "secret 1"]);
});

Deno.test("a cursor belongs to one principal, and expires", async () => {
  let now = 1000;
  const server = make({ requestState: { ttlMs: 100, now: () => now } });
  addTable(server, "a", 4);
  const cursor = await cursorOf(server, ANN);
  assertEquals((await ask(server, { cursor }, ANN)).isError, false);
  for (const other of [BOB, undefined]) {
    assertEquals((await ask(server, { cursor }, other)).code, -32602);
  }
  now = 1100;
  assertEquals((await ask(server, { cursor }, ANN)).code, -32602);
});

Deno.test("servers with the same keys accept the cursors of each other", async () => {
  const keys = [new Uint8Array(32).fill(7)];
  const [one, two] = [make({ requestState: { keys } }), make({ requestState: { keys } })];
  addTable(one, "a", 3);
  addTable(two, "b", 3);
  addTable(two, "a", 3);
  const { result } = await ask(two, { cursor: await cursorOf(one) });
  assertEquals(listOf(result.resources).map(({ uri }) => uri), ["db:///a/3"]);
});

Deno.test("the cursor of a removed, replaced or hidden template is invalid", async () => {
  let isHidden = false;
  const server = make({ visible: () => !isHidden });
  addTable(server, "a", 3);
  const cursor = await cursorOf(server);
  isHidden = true;
  assertEquals((await ask(server, { cursor })).code, -32602);
  isHidden = false;
  server.removeResourceTemplate("db:///a/{id}");
  assertEquals((await ask(server, { cursor })).code, -32602);
  server.registerResourceTemplate({ uriTemplate: "db:///a/{id}", name: "a" }, () => "");
  assertEquals((await ask(server, { cursor })).code, -32602);
});

Deno.test("a template that is removed or renamed while it lists does not end the list", async () => {
  const a = "db:///a/{id}";
  const changes: readonly ((server: McpServer) => void)[] = [
    (server) => server.removeResourceTemplate(a),
    (server) => server.updateResourceTemplate(a, { uriTemplate: "db:///z/{id}", name: "z" }),
  ];
  for (const change of changes) {
    const server = make();
    addTemplate(server, async () => {
      await Promise.resolve();
      change(server);
      return { resources: [{ uri: "db:///a/1", name: "1" }] };
    });
    addTable(server, "b", 1);
    assertEquals(await pagesOf(server), [["db:///a/1"], ["db:///b/1"]]);
  }
});

Deno.test("a cursor is not a request state", async () => {
  const states: unknown[] = [];
  const server = make({ onError: () => {} });
  addTemplate(server, (_page, { savedState }) => {
    states.push(savedState);
    return { resources: [], nextCursor: "secret" };
  });
  const requestState = await cursorOf(server);
  assertEquals((await ask(server, { requestState })).code, -32602);
  assertEquals(states, [undefined]);
});

Deno.test("a template that a principal cannot see lists nothing", async () => {
  const server = make({
    visible: ({ name }, principal) => !name.includes("ann") || principal?.subject === "ann",
  });
  addTable(server, "ann", 1);
  addTable(server, "all", 1);
  addTable(server, "ann-too", 1);
  assertEquals(await pagesOf(server, BOB), [["db:///all/1"]]);
  assertEquals(await pagesOf(server, ANN), [["db:///ann/1"], ["db:///all/1"], ["db:///ann-too/1"]]);
});

Deno.test("list() receives the principal, the limit and the signal of the request", async () => {
  const received: unknown[] = [];
  const server = make();
  addTemplate(server, (page, { principal, signal }) => {
    received.push([page, principal, signal.aborted]);
    return { resources: [] };
  });
  await ask(server, {}, ANN);
  assertEquals(received, [[{ limit: 2 }, ANN, false]]);
});

Deno.test("a resource that cannot be listed is left out, and each page is reported once", async () => {
  const errors: string[] = [];
  const server = make({ pageSize: 3, onError: (error) => errors.push(String(error)) });
  server.registerResource({ uri: "db:///a/registered", name: "" }, () => "");
  const good = { uri: "db:///a/good", name: "good" };
  const pages: Record<string, unknown[]> = {
    "not of the template": [good, { uri: "db:///b/1", name: "" }],
    "registered": [{ uri: "db:///a/registered", name: "" }, good],
    "two folders": [{ uri: "db:///a/1/2", name: "" }, { uri: "db:///a/../b", name: "" }, good],
    "misspelled": [{ uri: "db:///a/1", name: "", mimetype: "text/plain" }, good],
    "no name": [good, { uri: "db:///a/1" }],
    "not an object": [null, good],
    "not JSON": [good, { uri: "db:///a/1", name: "", _meta: { value: 1n } }],
    "too many": [good, good, good, { uri: "db:///a/4", name: "" }],
  };
  const lists = Object.values(pages);
  // In JavaScript, a function can return anything.
  addTemplate(server, () => ({ resources: lists.shift() }) as ResourcePage);
  const cursor = await cursorOf(server);
  for (const name of Object.keys(pages)) {
    const { result } = await ask(server, { cursor });
    const found = listOf(result.resources);
    assertEquals(found, name === "too many" ? [good, good, good] : [good], name);
  }
  const start = 'TypeError: Cannot list all resources of the template "db:///a/{id}": ';
  assertEquals(errors.map((error) => error.replace(start, "")), [
    '"db:///b/1" does not match the template',
    '"db:///a/registered" is a registered resource',
    '"db:///a/1/2" does not match the template (and 1 more)',
    '"resources[0]" must have only known options, got "mimetype"; did you mean "mimeType"?',
    '"resources[1].name" must be a string, got undefined',
    '"resources[0]" must be an object, got null',
    errors[6]?.replace(start, "") ?? "",
    'the page has 4 resources, more than "limit" (3)',
  ]);
});

Deno.test("an invalid page is an internal error of this page", async () => {
  const errors: unknown[] = [];
  const server = make({ onError: (error) => errors.push(error) });
  const pages: unknown[] = [
    undefined,
    [],
    { resources: "x" },
    { resources: [], nextCursor: "" },
    { resources: [], nextCursor: null },
    { resources: [], cursor: "x" },
    { resources: [], nextCursor: "long".repeat(1000) },
  ];
  const count = pages.length;
  // In JavaScript, a function can return anything.
  addTemplate(server, () => {
    if (pages.length === 0) return Promise.reject(new Error("the database is not available"));
    return pages.shift() as ResourcePage;
  });
  for (let index = 0; index <= count; index++) assertEquals((await ask(server)).code, -32603);
  assertEquals(errors.length, count + 1);
  pages.push({ resources: [{ uri: "db:///a/1", name: "1" }] });
  assertEquals(listOf((await ask(server)).result.resources).length, 1);
});

Deno.test("a page that returns its own cursor does not repeat for ever", async () => {
  const server = make({ onError: () => {} });
  addTemplate(server, () => ({ resources: [], nextCursor: "same" }));
  const cursor = await cursorOf(server);
  assertEquals((await ask(server, { cursor })).code, -32603);
});

Deno.test("a listed resource is described by its own data, and lists change with the data", async () => {
  const server = make();
  let name = "old";
  addTemplate(server, () => ({ resources: [{ uri: "db:///a/1", name }] }));
  const listed = async () => objectOf(listOf((await ask(server)).result.resources)[0]).name;
  assertEquals(await listed(), "old");
  name = "new";
  assertEquals(await listed(), "new");
});

Deno.test("registerResourceTemplate() rejects a list that is not a function", () => {
  const server = make();
  const list: unknown = [];
  assertThrows(
    () => addTemplate(server, list as ListTemplateResources),
    TypeError,
    '"list" must be a function',
  );
});

/** Connections over a pipe and over HTTP, each in both eras. */
const CONNECTIONS = ["pipe", "http"].flatMap((kind) =>
  (["modern", "2025-11-25", "2025-03-26"] as const).map((protocol) => [kind, protocol] as const)
);

for (const [kind, protocol] of CONNECTIONS) {
  Deno.test(`a list() that never returns ends with the deadline of the client (${kind}, ${protocol})`, async () => {
    const server = make({ pageSize: 1 });
    const hanging: AbortSignal[] = [];
    const aborted = Promise.withResolvers<void>();
    let isSlow = true;
    addTemplate(server, ({ cursor }, { signal }) => {
      const id = cursor ?? "1";
      const page = { resources: [{ uri: `db:///a/${id}`, name: id }] };
      if (cursor === undefined) return { ...page, nextCursor: "2" };
      if (!isSlow) return page;
      hanging.push(signal);
      signal.addEventListener("abort", () => aborted.resolve());
      return new Promise(() => {});
    });
    const handler = mcpHandler(server, { allowedHosts: ["mcp.example"] });
    const transport = kind === "http"
      ? new HttpTransport("https://mcp.example/mcp", {
        fetch: (url, init) => handler(new Request(url, init)),
      })
      : createMemoryTransport((pipe) => servePipe(server, pipe));
    await using client = new McpClient({ transport, protocol });
    await client.connect();
    const error = await assertRejects(() => client.listResources({ timeoutMs: 20 }), McpError);
    assertEquals([error.code, hanging.length], ["timeout", 1]);
    await aborted.promise;
    // The request of the second page no longer occupies the connection.
    isSlow = false;
    const uris = (await client.listResources()).map(({ uri }) => uri);
    assertEquals(uris, ["db:///a/1", "db:///a/2"]);
    await client.disconnect();
    await handler.close();
  });
}

Deno.test("a cursor that is null requests the first page", async () => {
  const server = make();
  addTable(server, "a", 1);
  const { result } = await ask(server, { cursor: null });
  assertEquals(listOf(result.resources).map(({ uri }) => uri), ["db:///a/1"]);
  for (const cursor of [1, {}, false]) assertEquals((await ask(server, { cursor })).code, -32602);
});
