import { assertEquals } from "@std/assert";
import { McpServer } from "../server.ts";
import { clientOf, connectTo, openGateway } from "../testdata/gateway.ts";

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
