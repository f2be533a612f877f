import { assert, assertEquals } from "@std/assert";
import { coverageOf } from "./template_coverage.ts";
import { canonicalUri, toCompared } from "./uri_resemblance.ts";

function resembles(uriTemplate: string, uri: string): boolean {
  return coverageOf(uriTemplate).resembles({ uri, canonical: canonicalUri(uri) });
}

Deno.test("resembles() finds URIs that a server may match after it has changed them", () => {
  for (
    const uri of [
      "t:///private/1",
      "T:///Private/1",
      "t:///%70rivate/1",
      "t:///%2570rivate/1",
      "t:///private%2F1",
      "t:///%70rivate/a%2Fb",
      "t:///x/../private/1",
      "t:///./private/1",
      "t:///private/1#x",
    ]
  ) assertEquals(resembles("t:///private/{id}", uri), true, uri);
  for (const uri of ["t:///public/1", "t:///private", "t:///private/1/x", "t:///private/a%20b/x"]) {
    assertEquals(resembles("t:///private/{id}", uri), false, uri);
  }
});

Deno.test("mayRead() ignores the parts of a URI that some servers ignore", () => {
  const readable: Readonly<Record<string, readonly string[]>> = {
    "t://h/private/{id}": [
      "t://h/private/1",
      "t://h/private/1?x=1",
      "t://h/private/1;x",
      "t://h/private;x/1?y",
      "t://user:password@h/private/1",
      "T://user@h/Private/1?x",
      "t://h/%70rivate/a%2Fb?x",
      "t://h./private/1",
    ],
    "t://h/q?id={id}": ["t://h/q?id=1", "t://h/q?a=1&id=1", "t://h/q?a=1&ID=1&b", "t://x@h/q?id=1"],
    "t://h/q{?a,b}": ["t://h/q", "t://h/q?c=1", "t://h/q;x?a=1"],
    "t://h/q?v=1{&a}": ["t://h/q?v=1&a=2", "t://h/q?a=2&v=1"],
    "file:///{name}.txt": ["file://other/a.txt", "file:///a.txt?x", "file:///a.txt::$DATA"],
    "t://h/{a": ["t://h/x", "t://x@h/y"],
  };
  const mayRead = (uriTemplate: string, uri: string): boolean =>
    coverageOf(uriTemplate).mayRead(toCompared(uri));
  for (const [uriTemplate, uris] of Object.entries(readable)) {
    for (const uri of uris) assertEquals(mayRead(uriTemplate, uri), true, `${uriTemplate} ${uri}`);
  }
  for (
    const [uriTemplate, uri] of [
      ["t://h/private/{id}", "t://h/public/1?x=1"],
      ["t://h/private/{id}", "t://h/private/1/x?y"],
      ["t://h/private/{id}", "t://g/private/1"],
      ["t://h/q?id={id}", "t://h/q?name=1"],
      ["t://h/q?id={id}", "t://h/q"],
      ["file:///{name}.txt", "file://other/a/b.txt"],
    ] as const
  ) assertEquals(mayRead(uriTemplate, uri), false, `${uriTemplate} ${uri}`);
});

Deno.test("resembles() compares templates with all kinds of expressions", () => {
  assertEquals(resembles("s://h/{a}/end", "s://h/x/%65nd"), true);
  assertEquals(resembles("s://h/{a}/end", "s://h/x/start"), false);
  assertEquals(resembles("s://h/a{?q}", "s://h/%61?q=1"), true);
  assertEquals(resembles("s://h/a{?q}", "s://h/b?q=1"), false);
  assertEquals(resembles("s://h/a{#f}", "s://h/%61#1"), true);
  assertEquals(resembles("{scheme}://secret", "s://secre%74"), true);
  // A template whose syntax is not known covers all URIs that start with its prefix.
  assertEquals(resembles("s://h/{;a}", "s://h/%61"), true);
  assertEquals(resembles("s://h/{", "S://h/x"), true);
  assertEquals(resembles("s://h/{", "s://g/x"), false);
});

Deno.test("covers() compares percent-encodings as match() does", () => {
  for (
    const [uriTemplate, uri, isCovered] of [
      ["s://h/é/{id}", "s://h/%C3%A9/1", true],
      ["s://h/é/{id}", "s://h/%c3%a9/1", true],
      ["s://h/%C3%A9/{id}", "s://h/é/1", true],
      ["s://h/a b/{id}", "s://h/a%20b/1", true],
      ["s://h/a%2Fb/{id}", "s://h/a/b/1", false],
      ["s://h/é/{id}", "s://h/e/1", false],
    ] as const
  ) assertEquals(coverageOf(uriTemplate).covers(uri), isCovered, `${uriTemplate} ${uri}`);
});

Deno.test("covers() is true if the steps do not suffice", () => {
  const { covers } = coverageOf("s:///{+a}{+b}!x");
  assertEquals(covers("s:///abcdef"), false);
  assertEquals(covers("s:///a!xa!xay"), false);
  const budget = { left: 20 };
  assertEquals(covers(`s:///${"a!x".repeat(20)}y!x`, budget), true);
  assertEquals(
    coverageOf("s:///{+a}/{b}!x").covers(`s:///${"a!x/".repeat(50)}/!x`, { left: 20 }),
    true,
  );
  assert(budget.left < 20);
});

Deno.test("coverageOf() takes little time for templates with many variables", () => {
  const startedAt = performance.now();
  for (let index = 0; index < 500; index++) {
    coverageOf(`s:///${index}${"é{a}".repeat(1600)}`);
    coverageOf(`s:///${index}{${"a,".repeat(4000)}a}`);
  }
  assert(performance.now() - startedAt < 2000);
});

Deno.test("covers() takes few steps for a URI that lacks the literals of the template", () => {
  const budget = { left: 1000 };
  for (let index = 0; index < 1000; index++) {
    coverageOf(`s:///{+a}{+b}{+c}{+d}!${index}`).covers(`s:///${"a".repeat(1000)}`, budget);
  }
  assertEquals(budget.left, 1000);
});

Deno.test("a template with many variables and a long URI are compared by their prefix", () => {
  const many = Array.from({ length: 17 }, (_, index) => `{v${index}}`).join("/");
  assertEquals(coverageOf(`s:///${many}/x`).covers("s:///y"), true);
  assertEquals(coverageOf("s:///{a}/x").covers(`s:///${"a".repeat(2100)}`), true);
  assertEquals(coverageOf("s:///{a}/x").covers(`t:///${"a".repeat(2100)}`), false);
});
