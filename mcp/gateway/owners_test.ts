import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { Item, ItemKind, Items } from "./items.ts";
import { type Clash, Owners } from "./owners.ts";
import { coverageOf } from "../server/template_coverage.ts";

type Names = Partial<Record<ItemKind, readonly string[]>>;

function toItems(names: Names): Items {
  const collect = (list: readonly string[] = []): ReadonlyMap<string, Item> =>
    new Map(list.map((name) => [name, { name, descriptor: {}, parameterHeaders: [] }]));
  return {
    tools: collect(names.tools),
    prompts: collect(names.prompts),
    resources: collect(names.resources),
    templates: collect(names.templates),
  };
}

/** Applies a list of names. Returns the offered names and the clashes. */
function update(
  owners: Owners,
  server: string,
  names: Names,
): { readonly offered: readonly string[]; readonly clashes: readonly Clash[] } {
  const { offered, clashes } = owners.update(server, toItems(names));
  return { offered: Object.values(offered).flatMap((items) => [...items.keys()]), clashes };
}

for (const kind of ["tools", "prompts", "resources", "templates"] as const) {
  Deno.test(`the first server keeps an item of a second server (${kind})`, () => {
    const owners = new Owners(10);
    assertEquals(update(owners, "a", { [kind]: ["x://1"] }).offered, ["x://1"]);
    const { offered, clashes } = update(owners, "b", { [kind]: ["x://1", "y://1"] });
    assertEquals(offered, ["y://1"]);
    const other = { owner: "a", ownerKind: kind, ownerName: "x://1" };
    assertEquals(clashes, [{ kind, name: "x://1", server: "b", ...other }]);
    assertEquals(owners.clashes, clashes);
    assertEquals(update(owners, "b", {}).clashes, []);
    assertEquals(owners.clashes, []);
  });

  Deno.test(`a server that no longer lists an item still owns it (${kind})`, () => {
    const owners = new Owners(10);
    update(owners, "a", { [kind]: ["x://1"] });
    assertEquals(update(owners, "a", {}).offered, []);
    assertEquals(update(owners, "b", { [kind]: ["x://1"] }).offered, []);
    assertEquals(owners.get(kind, "x://1")?.server, "a");
  });
}

Deno.test("a URI that a template of another server covers is a clash", () => {
  const owners = new Owners(10);
  update(owners, "a", { templates: ["notes:///{id}"], resources: ["notes:///own"] });
  const { offered, clashes } = update(owners, "b", {
    resources: ["notes:///secret", "notes:///../x", "notes:///a/b", "other:///1"],
  });
  // "{id}" does not match a slash.
  assertEquals(offered, ["notes:///a/b", "other:///1"]);
  assertEquals(clashes.map(({ name, ownerName }) => [name, ownerName]), [
    ["notes:///secret", "notes:///{id}"],
    ["notes:///../x", "notes:///{id}"],
  ]);
  assertEquals(owners.readers("notes:///secret").map(({ server }) => server), ["a"]);
  assertEquals(owners.readers("notes:///own").map(({ kind }) => kind), ["resources", "templates"]);
});

Deno.test("a template that may cover an item of another server is a clash", () => {
  const owners = new Owners(20);
  update(owners, "a", { resources: ["notes:///1"], templates: ["db://{table}", "bad://{"] });
  const covering = ["notes:///{id}", "{+any}", "db://{table}/rows", "db://x/{row}", "bad://x/{y}"];
  const { offered, clashes } = update(owners, "b", { templates: [...covering, "free://{x}"] });
  assertEquals(offered, ["free://{x}"]);
  assertEquals(clashes.map(({ name }) => name), covering);
  assertEquals(owners.readers("notes:///2"), []);
});

Deno.test("a URI that resembles the URI of another server's resource is a clash", () => {
  const owners = new Owners(10);
  update(owners, "a", { resources: ["s:///Note"] });
  const { offered, clashes } = update(owners, "b", {
    resources: ["S:///n%6Fte", "s:///x/../note", "s:///other"],
  });
  assertEquals(offered, ["s:///other"]);
  assertEquals(clashes.map(({ owner, ownerName }) => [owner, ownerName]), [
    ["a", "s:///Note"],
    ["a", "s:///Note"],
  ]);
  // The claims of one server may resemble each other.
  assertEquals(update(owners, "a", { resources: ["s:///note"] }).offered, ["s:///note"]);
});

Deno.test("a template that resembles the template of another server is a clash", () => {
  const owners = new Owners(10);
  update(owners, "a", { templates: ["DB://Main/{id}"], resources: ["s:///a%20b"] });
  const { offered } = update(owners, "b", {
    templates: ["db://main/{id}", "S:///{x}", "db://other/{id}"],
    resources: ["db://main/1", "db://other/1"],
  });
  assertEquals(offered, ["db://other/{id}", "db://other/1"]);
});

Deno.test("a parent's claims precede, and an earlier claim precedes a later one of the parent", () => {
  const parent = new Owners(10);
  update(parent, "shared", { tools: ["t"], templates: ["s://{x}"] });
  const owners = new Owners(10, parent);
  const listed = { tools: ["t", "u"], resources: ["s://1", "o://1"], templates: ["p://{x}"] };
  assertEquals(update(owners, "own", listed).offered, ["u", "p://{x}", "o://1"]);
  const later = { tools: ["t", "u"], resources: ["o://1", "p://2"], templates: ["o://{x}"] };
  update(parent, "shared", { ...later, templates: ["s://{x}", "o://{x}"] });
  const clashes = (kind: ItemKind, name: string) => owners.clash(kind, name, "shared")?.owner;
  assertEquals(clashes("tools", "t"), undefined);
  assertEquals(clashes("tools", "u"), "own");
  assertEquals(clashes("resources", "o://1"), "own");
  assertEquals(clashes("resources", "p://2"), "own");
  assertEquals(clashes("templates", "o://{x}"), "own");
  for (const uri of ["o://1", "p://2"]) {
    assertEquals(owners.readers(uri).map(({ server }) => server), ["own"]);
  }
  assertEquals(owners.readers("s://9").map(({ server }) => server), ["shared"]);
});

Deno.test("a server that always renames its items loses only claims that it does not list", () => {
  const owners = new Owners(4);
  update(owners, "b", { tools: ["other"] });
  for (let round = 0; round < 100; round++) {
    update(owners, "a", { tools: ["kept", `t${round}`], templates: [`x${round}://{y}`] });
    assert(owners.claims.length <= 5);
  }
  assertEquals(owners.get("tools", "kept")?.server, "a");
  assertEquals(owners.get("tools", "t99")?.server, "a");
  assertEquals(owners.get("tools", "t0"), undefined);
  assertEquals(owners.readers("x0://1"), []);
  assertEquals(owners.get("tools", "other")?.server, "b");
});

Deno.test("restore() ignores stored claims that contradict each other", () => {
  const owners = new Owners(10);
  const claim = (kind: ItemKind, name: string, server: string) => {
    return { kind, name, server, ownName: name };
  };
  owners.restore([
    claim("templates", "n://{x}", "a"),
    claim("templates", "n://{x}", "b"),
    claim("resources", "n://1", "b"),
    claim("tools", "t", "b"),
  ]);
  assertEquals(owners.claims.map(({ name, server }) => [name, server]), [
    ["n://{x}", "a"],
    ["t", "b"],
  ]);
  assertEquals(update(owners, "a", { tools: ["t"] }).offered, []);
});

const URIS = ["n://a", "n://b", "n://b/c", "n://..", "m://a", "m://x/y"];
const TEMPLATES = ["n://{i}", "n://b/{i}", "m://{+p}", "z://{a}", "{+all}", "m://{"];
const TOOLS = ["t1", "t2", "t3"];
const names: fc.Arbitrary<Names> = fc.record({
  tools: fc.subarray(TOOLS),
  prompts: fc.subarray(TOOLS),
  resources: fc.subarray(URIS),
  templates: fc.subarray(TEMPLATES),
});
const history = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), names), { maxLength: 6 });

Deno.test("no history of lists changes an owner or gives a URI two owners", () => {
  fc.assert(
    fc.property(history, fc.boolean(), (steps, isNested) => {
      const parent = new Owners(100);
      const owners = isNested ? new Owners(100, parent) : parent;
      const readersOf = () => URIS.map((uri) => owners.readers(uri)[0]?.server);
      for (const [server, list] of steps) {
        const claims = [...parent.claims, ...owners.claims];
        const readers = readersOf();
        const scope = isNested && server !== "a" ? owners : parent;
        const { offered } = scope.update(server, toItems(list));
        for (const { kind, name, server: owner } of claims) {
          const now = owners.claims.concat(parent.claims)
            .filter((claim) => claim.kind === kind && claim.name === name);
          assert(now.some((claim) => claim.server === owner), `${kind} ${name} left ${owner}`);
        }
        const after = readersOf();
        readers.forEach((reader, index) => {
          if (reader !== undefined) assertEquals(after[index], reader, URIS[index]);
        });
        for (const uri of offered.resources.keys()) {
          assert(owners.readers(uri)[0]?.server === server || isNested, uri);
        }
        for (const uri of URIS) {
          const all = new Set(scope.claims.flatMap((claim) => {
            const isReader = claim.kind === "resources" && claim.name === uri ||
              claim.kind === "templates" && coverageOf(claim.name).covers(uri);
            return isReader ? claim.server : [];
          }));
          assert(all.size <= 1, `${uri} has the owners ${[...all].join()}`);
        }
      }
    }),
    propertyRuns(500),
  );
});

Deno.test("10,000 items of two servers are compared without a comparison of all pairs", () => {
  const owners = new Owners(40_000);
  const indexes = Array.from({ length: 10_000 }, (_, index) => index);
  const lists = {
    tools: indexes.map((index) => `t${index}`),
    resources: indexes.map((index) => `n${index}://x`),
    templates: indexes.slice(0, 100).map((index) => `q${index}://{id}`),
  };
  const began = performance.now();
  assertEquals(update(owners, "a", lists).offered.length, 20_100);
  assertEquals(update(owners, "b", lists).clashes.length, 20_100);
  for (const index of indexes) owners.readers(`q50://${index}`);
  const elapsedMs = performance.now() - began;
  assert(elapsedMs < 10_000, `${elapsedMs} ms`);
});
