import { assertEquals } from "@std/assert";
import { checkPublished, checkSpecifiers } from "./check_publish_jsr.ts";

const MEMBERS = [{ name: "@parley/comm", version: "0.1.0" }];

function published(...paths: readonly string[]) {
  const files = paths.map((path) => ({ path, bytes: new Uint8Array() }));
  return [{ scope: "parley", name: "comm", version: "0.1.0", files }];
}

Deno.test("checkPublished() requires README and license, and rejects tests", () => {
  assertEquals(checkPublished(MEMBERS, published("/README.md", "/LICENSE", "/mod.ts")), []);
  assertEquals(checkPublished(MEMBERS, []), ["@parley/comm@0.1.0 was not published"]);
  assertEquals(checkPublished(MEMBERS, published("/LICENSE", "/a_test.ts", "/x/testdata/b.ts")), [
    "@parley/comm is published without /README.md",
    "@parley/comm publishes /a_test.ts",
    "@parley/comm publishes /x/testdata/b.ts",
  ]);
});

Deno.test("checkSpecifiers() returns specifiers that work only in this repository", () => {
  const registry = "http://127.0.0.1:1/";
  const importing = (...specifiers: readonly string[]) => ({
    modules: [
      {
        specifier: `${registry}@parley/comm/0.1.0/mod.ts`,
        dependencies: specifiers.map((specifier) => ({ specifier })),
      },
      { specifier: "file:///main.ts", dependencies: [{ specifier: "@parley/comm" }] },
      { specifier: `${registry}@std/encoding/1.0.11/base58.ts`, dependencies: null },
    ],
  });
  const canonical = ["./a.ts", "../b.ts", "jsr:@std/encoding@^1.0.11/base58", "npm:x@1", "node:fs"];
  assertEquals(checkSpecifiers(importing(...canonical), registry), []);
  for (const bare of ["@std/encoding/base58", "file:///repo/x.ts", "@noble/ed25519"]) {
    assertEquals(checkSpecifiers(importing(bare), registry), [
      `@parley/comm/0.1.0/mod.ts imports "${bare}"`,
    ]);
  }
});
