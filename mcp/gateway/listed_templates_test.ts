import { assert, assertEquals, assertRejects } from "@std/assert";
import { mcpGateway } from "../gateway.ts";
import { McpServer } from "../server.ts";
import { clientOf, connectTo, ERAS, openGateway } from "../testdata/gateway.ts";
import { ANN, BOB, senderTo } from "../testdata/hidden_items.ts";

/** A server with a resource template that lists rows, one page per 2 rows. */
function table(name: string, count: number): McpServer {
  const server = new McpServer({ name, version: "1", pageSize: 2 });
  addTable(server, name, count);
  return server;
}

function addTable(server: McpServer, name: string, count: number): void {
  server.registerResourceTemplate(
    { uriTemplate: `${name}:///{id}`, name },
    (_uri, { id }) => `${name} ${id}`,
    {
      list: ({ cursor = "1", limit }) => {
        const first = Number(cursor);
        const ids = Array.from({ length: limit }, (_, index) => first + index);
        const resources = ids.filter((id) => id <= count).map((id) => ({
          uri: `${name}:///${id}`,
          name: `${id}`,
        }));
        const next = first + limit;
        return next > count ? { resources } : { resources, nextCursor: `${next}` };
      },
    },
  );
}

Deno.test("mcpGateway() lists the resources of the templates of all servers", async () => {
  await using gateway = await openGateway({
    a: { client: clientOf(table("a", 3)) },
    b: { client: clientOf(table("b", 1), "legacy") },
  });
  addTable(gateway.server, "own", 3);
  await using client = await connectTo(gateway.server);
  const uris = (await client.listResources()).map(({ uri }) => uri);
  assertEquals(uris, ["own:///1", "own:///2", "own:///3", "a:///1", "a:///2", "a:///3", "b:///1"]);
  for (const [uri, text] of [["a:///3", "a 3"], ["own:///2", "own 2"]] as const) {
    assertEquals((await client.getResource(uri)).contents, [{ uri, text }]);
  }
  assertEquals(gateway.errors, []);
});

Deno.test("mcpGateway() lists a resource once that its own template lists on two pages", async () => {
  await using gateway = await openGateway({});
  gateway.server.registerResourceTemplate({ uriTemplate: "own:///{id}", name: "own" }, () => "", {
    list: ({ cursor }) => ({
      resources: [{ uri: "own:///1", name: "1" }],
      ...(cursor === undefined && { nextCursor: "2" }),
    }),
  });
  await using client = await connectTo(gateway.server);
  assertEquals((await client.listResources()).map(({ uri }) => uri), ["own:///1"]);
});

Deno.test("mcpGateway() reports that its own template lists more than maxItems resources", async () => {
  await using gateway = await openGateway({}, { maxItems: 3, pageSize: 2 });
  addTable(gateway.server, "own", 1000);
  await using client = await connectTo(gateway.server);
  const uris = (await client.listResources()).map(({ uri }) => uri);
  assertEquals(uris, ["own:///1", "own:///2", "own:///3"]);
  assertEquals(
    gateway.errors[0],
    'Cannot list all resources of the gateway\'s own server: "maxItems" is 3',
  );
});

for (const era of ERAS) {
  Deno.test(`with listResources false, a server with any number of rows is behind mcpGateway() (${era})`, async () => {
    let pages = 0;
    const rows = new McpServer({ name: "rows", version: "1" });
    rows.registerTool({ name: "count", description: "" }, () => "1000000");
    rows.registerResource({ uri: "rows:///about", name: "about" }, () => "about");
    rows.registerResourceTemplate(
      { uriTemplate: "rows:///row/{id}", name: "row" },
      (_uri, { id }) => Number(id) <= 1_000_000 ? `row ${id}` : undefined,
      {
        complete: { id: () => ["7"] },
        list: () => {
          pages++;
          return { resources: [{ uri: "rows:///row/1", name: "1" }], nextCursor: `${pages}` };
        },
      },
    );
    const other = new McpServer({ name: "other", version: "1" });
    other.registerResource({ uri: "rows:///row/7", name: "seven" }, () => "of the other server");
    other.registerResource({ uri: "other:///1", name: "1" }, () => "1");
    await using gateway = await openGateway({
      rows: { client: clientOf(rows, era), listResources: false },
      other: { client: clientOf(other, era) },
    });
    await using client = await connectTo(gateway.server, era);
    assertEquals((await client.listTools()).map(({ name }) => name), ["rows_count"]);
    assertEquals((await client.listResources()).map(({ uri }) => uri), ["other:///1"]);
    const templates = await client.listResourceTemplates();
    assertEquals(templates.map(({ uriTemplate }) => uriTemplate), ["rows:///row/{id}"]);
    for (const id of ["7", "999999"]) {
      const uri = `rows:///row/${id}`;
      assertEquals((await client.getResource(uri)).contents, [{ uri, text: `row ${id}` }]);
    }
    // The other server could have this URI, and no template covers it.
    await assertRejects(() => client.getResource("rows:///about"), Error, "Resource not found");
    const ref = { type: "ref/resource", uri: "rows:///row/{id}" } as const;
    const { values } = await client.complete({ ref, argument: { name: "id", value: "" } });
    assertEquals(values, ["7"]);
    await using stream = await client.listen({ resourceSubscriptions: ["rows:///row/9"] });
    rows.resourceUpdated("rows:///row/9");
    const { value } = await stream[Symbol.asyncIterator]().next();
    assertEquals(value?.method, "notifications/resources/updated");
    const [clash, ...others] = await gateway.refresh();
    assertEquals([clash?.name, clash?.server, clash?.owner, others], [
      "rows:///row/7",
      "other",
      "rows",
      [],
    ]);
    assertEquals(pages, 0);
    assert(gateway.errors.every((error) => error.includes("rows:///row/7")), `${gateway.errors}`);
  });
}

Deno.test("with listResources false, allow and visible receive the URI of each resource", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerResource({ uri: "s:///secret", name: "secret" }, () => "secret");
  server.registerResourceTemplate({ uriTemplate: "s:///{+path}", name: "all" }, (uri) => uri);
  const hides = (name: string): boolean => name === "s:///secret";
  for (const by of ["allow", "visible"] as const) {
    await using gateway = await openGateway(
      {
        s: {
          client: clientOf(server),
          listResources: false,
          ...(by === "allow" &&
            { allow: (name, { principal }) => principal?.subject === "ann" || !hides(name) }),
        },
      },
      by === "visible"
        ? { visible: ({ name }, principal) => principal?.subject === "ann" || !hides(name) }
        : {},
    );
    const send = senderTo(gateway.server);
    const read = async (who: typeof ANN, uri: string): Promise<unknown> =>
      (await send(who, "resources/read", { uri })).contents;
    const variants = ["s:///secret", "s:///s%65cret", "s:///%2573ecret"];
    // Whether the server interprets these as the hidden URI is not known.
    const unusual = ["s:///x/../secret", "s:///./secret", "s:///x\\..\\secret", "s:///sec\tret"];
    for (const uri of [...variants, ...unusual]) assertEquals(await read(BOB, uri), undefined, uri);
    assert(Array.isArray(await read(BOB, "s:///public")), by);
    for (const uri of variants) assert(Array.isArray(await read(ANN, uri)), uri);
    await using client = await connectTo(gateway.server);
    const resourceSubscriptions = ["s:///secret", "s:///public"];
    await using stream = await client.listen({ resourceSubscriptions });
    for (const uri of resourceSubscriptions) server.resourceUpdated(uri);
    const { value } = await stream[Symbol.asyncIterator]().next();
    assertEquals(value?.params?.uri, "s:///public");
  }
});

Deno.test("mcpGateway() rejects a value of listResources that is not a boolean", async () => {
  const { value } = Object.assign({ value: false }, { value: "no" });
  const upstreams = { s: { client: clientOf(table("s", 1)), listResources: value } };
  await assertRejects(
    () => mcpGateway({ name: "g", version: "1", upstreams }),
    TypeError,
    '"upstreams.s.listResources" must be a boolean',
  );
});

Deno.test("mcpGateway() requests at most maxItems pages of its own templates", async () => {
  await using gateway = await openGateway({}, { maxItems: 5 });
  let pages = 0;
  gateway.server.registerResourceTemplate({ uriTemplate: "own:///{id}", name: "own" }, () => "", {
    list: () => ({ resources: [], nextCursor: `${++pages}` }),
  });
  await using client = await connectTo(gateway.server);
  assertEquals(await client.listResources(), []);
  assertEquals(pages, 5);
  assertEquals(gateway.errors, [
    'Cannot list all resources of the gateway\'s own server: "maxItems" is 5',
  ]);
});

Deno.test("mcpGateway() requests no other page for a request that was aborted", async () => {
  await using gateway = await openGateway({}, { maxItems: 5 });
  const controller = new AbortController();
  let pages = 0;
  gateway.server.registerResourceTemplate({ uriTemplate: "own:///{id}", name: "own" }, () => "", {
    list: async (_page, { signal }) => {
      if (++pages === 2) {
        const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
        controller.abort();
        await aborted;
      }
      return { resources: [], nextCursor: `${pages}` };
    },
  });
  await using client = await connectTo(gateway.server);
  await assertRejects(() => client.listResources({ signal: controller.signal }), DOMException);
  // While this request lists 5 pages, the aborted request would list the other 3 pages.
  assertEquals(await client.listResources(), []);
  assertEquals(pages, 7);
});
