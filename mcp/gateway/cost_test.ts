import { assert, assertEquals } from "@std/assert";
import { McpServer } from "../server.ts";
import { clientOf, connectTo, openGateway } from "../testdata/gateway.ts";
import { Owners } from "./owners.ts";
import { Pauses } from "./pauses.ts";
import type { Item, Items } from "./items.ts";

/** A server with resource templates. */
function serverWith(uriTemplates: readonly string[]): McpServer {
  const server = new McpServer({ name: "s", version: "1", pageSize: 2000 });
  for (const uriTemplate of uriTemplates) {
    server.registerResourceTemplate({ uriTemplate, name: "t" }, () => "x");
  }
  return server;
}

function toTemplates(count: number, toTemplate: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, index) => toTemplate(index));
}

const TOO_MANY: readonly (readonly [reason: string, templates: readonly string[]])[] = [
  ["100 resource templates for the URIs", toTemplates(101, (index) => `s:///{a}/${index}`)],
  ["100 resource templates for the URIs", toTemplates(101, (index) => `s:${"/".repeat(index)}{a}`)],
  [
    "100 resource templates for the URIs",
    toTemplates(101, (index) => `s:x${"y".repeat(index)}{a}`),
  ],
  ["1000 resource templates", toTemplates(1001, (index) => `s${index}:///{a}`)],
  ["8192 characters", [`s:///${"a".repeat(8192)}{a}`]],
];

for (const [reason, templates] of TOO_MANY) {
  Deno.test(`a server with templates that take long to compare is left out (${templates[0]?.slice(0, 20)}, ${reason})`, async () => {
    await using gateway = await openGateway({
      s: { client: clientOf(serverWith(templates)) },
      other: { client: clientOf(serverWith(["other:///{a}"])) },
    });
    await using user = await connectTo(gateway.server);
    assertEquals((await user.listResourceTemplates()).length, 1);
    assert(gateway.errors[0]?.includes(reason), gateway.errors[0]);
  });
}

Deno.test("a server with very long names in total is left out", async () => {
  const server = new McpServer({ name: "s", version: "1", pageSize: 2000 });
  for (let index = 0; index < 1100; index++) {
    server.registerResource({ uri: `s:///${index}`.padEnd(8000, "a"), name: "r" }, () => "x");
  }
  await using gateway = await openGateway({ s: { client: clientOf(server) } });
  await using user = await connectTo(gateway.server);
  assertEquals(await user.listResources(), []);
  assert(gateway.errors[0]?.includes("8388608 characters"), gateway.errors[0]);
});

function itemsOf(names: Partial<Record<"resources" | "templates", readonly string[]>>): Items {
  const collect = (list: readonly string[] = []): ReadonlyMap<string, Item> =>
    new Map(list.map((name) => [name, { name, descriptor: {}, parameterHeaders: [] }]));
  return {
    tools: new Map(),
    prompts: new Map(),
    resources: collect(names.resources),
    templates: collect(names.templates),
  };
}

/** URIs and templates for which a comparison needs many steps. */
const SLOW_URIS = toTemplates(200, (index) => `s:///${"a!".repeat(30)}${index}/x`);
const SLOW_TEMPLATES = toTemplates(
  100,
  (index) => `s:///{+a}!{+b}!{+c}!{d}${"/".repeat(index % 3)}`,
);

Deno.test("the steps of a comparison of a URI with the templates of a server are limited", () => {
  const owners = new Owners(10_000);
  owners.update("a", itemsOf({ templates: SLOW_TEMPLATES }));
  owners.update("b", itemsOf({ resources: SLOW_URIS }));
  const { steps } = owners;
  assert(steps < SLOW_URIS.length * 11_000, `${steps} steps`);
  // The templates of a URI are stored.
  owners.update("b", itemsOf({ resources: SLOW_URIS }));
  assertEquals(owners.steps, steps);
});

Deno.test("the templates of one server do not change which URIs another server's template covers", () => {
  const owners = new Owners(10_000);
  owners.update("honest", itemsOf({ templates: ["s:///{a}"] }));
  const uri = SLOW_URIS[0] ?? "";
  assertEquals([...owners.resembling(uri)].length, 0);
  const parent = new Owners(10_000, owners);
  parent.restore(SLOW_TEMPLATES.map((name) => ({
    kind: "templates",
    name,
    server: "b",
    ownName: name,
  })));
  assert([...parent.resembling(uri)].every(({ server }) => server === "b"));
});

Deno.test("claims are dropped if their names are too long in total", () => {
  const owners = new Owners(1_000_000);
  const list = (round: number): readonly string[] =>
    toTemplates(900, (index) => `s:///${round}/${index}/`.padEnd(8000, "a"));
  for (let round = 0; round < 4; round++) owners.update("a", itemsOf({ resources: list(round) }));
  assert(owners.claims.length * 8000 <= 16_777_216, `${owners.claims.length}`);
  for (const name of list(3)) assertEquals(owners.get("resources", name)?.server, "a");
});

Deno.test("updating() yields, and a loop pauses after a number of steps", async () => {
  const owners = new Owners(10_000);
  owners.update("a", itemsOf({ templates: SLOW_TEMPLATES }));
  const update = owners.updating("b", itemsOf({ resources: SLOW_URIS }));
  const pauses = new Pauses(() => owners.steps);
  let count = 0;
  for (let step = update.next(); step.done !== true; step = update.next()) {
    if (!pauses.isDue()) continue;
    count++;
    await pauses.pause(new AbortController().signal);
  }
  assert(count >= 3, `${count} pauses`);
});
