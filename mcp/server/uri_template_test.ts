import { assertEquals, assertThrows } from "@std/assert";
import { parseUriTemplate } from "./uri_template.ts";

/** Test cases: template, URI, and expected variables. */
const MATCHES: readonly [string, string, Record<string, string> | undefined][] = [
  ["test://template/{id}/data", "test://template/123/data", { id: "123" }],
  ["test://template/{id}/data", "test://template/1/2/data", undefined],
  ["test://template/{id}/data", "test://template//data", undefined],
  ["test://template/{id}/data", "test://template/1/data/", undefined],
  ["a:{x}", "a:%C3%A9%20b", { x: "é b" }],
  ["a:{x}", "a:%ZZ", undefined],
  ["a:{x,y}", "a:1,2", { x: "1", y: "2" }],
  ["a:{x}-{x}", "a:1-1", { x: "1" }],
  ["a:{x}-{x}", "a:1-2", undefined],
  ["file:///{+path}", "file:///a/b c/d.txt", { path: "a/b c/d.txt" }],
  ["file:///{+path}.md", "file:///a/b.md", { path: "a/b" }],
  ["a:b{#section}", "a:b#top/left", { section: "top/left" }],
  ["a:b{.ext}", "a:b.json", { ext: "json" }],
  ["a:{/x,y}", "a:/1/2", { x: "1", y: "2" }],
  ["a:{/path*}", "a:/1/2/3", { path: "1/2/3" }],
  ["a:s{?q,lang}", "a:s?lang=en&q=cats%20and+dogs", { q: "cats and dogs", lang: "en" }],
  ["a:s{?q,lang}", "a:s", {}],
  ["a:s?fixed=1{&q}", "a:s?fixed=1&q=x", { q: "x" }],
  ["a:(b)+[c].{x}", "a:(b)+[c].1", { x: "1" }],
  ["plain:uri", "plain:uri", {}],
  ["plain:uri", "plain:uriX", undefined],
  ["a:{x:3}", "a:123", { x: "123" }],
  ["file:///d/{x}", "file:///d/..", undefined],
  ["file:///d/{x}", "file:///d/%2e%2E%2Fe", undefined],
  ["file:///d/{x}", "file:///d/..%5Ce", undefined],
  ["file:///d/{x}", "file:///d/a%00.txt", undefined],
  ["file:///d/{+x}", "file:///d/a/../../e", undefined],
  ["file:///d/{+x}", "file:///d/a..b/...", { x: "a..b/..." }],
  ["a:{x}", `a:${"1".repeat(9000)}`, undefined],
  ["file:///docs/café/{name}", "file:///docs/caf%C3%A9/a.txt", { name: "a.txt" }],
  ["file:///docs/café/{name}", "file:///docs/caf%c3%a9/a.txt", { name: "a.txt" }],
  ["file:///docs/café/{name}", "file:///docs/café/a.txt", { name: "a.txt" }],
  ["file:///docs/caf%C3%A9/{name}", "file:///docs/café/a.txt", { name: "a.txt" }],
  ["file:///My Files/{name}", "file:///My%20Files/a%20b", { name: "a b" }],
  ["db://日本/{id}/行", "db://%E6%97%A5%E6%9C%AC/7/%E8%A1%8C", { id: "7" }],
  ["s://%7Euser/{id}", "s://~user/1", { id: "1" }],
  ["s://a-b/{id}", "s://a%2Db/1", { id: "1" }],
  ["s://a{.ext}", "s://a%2Ejson", { ext: "json" }],
  // Reserved characters have another meaning if they are encoded.
  ["s://a/b/{id}", "s://a%2Fb/1", undefined],
  ["s://a%2fb/{id}", "s://a%2Fb/1", { id: "1" }],
  ["s://a%2Fb/{id}", "s://a/b/1", undefined],
  ["s://{x}", "s://a%2Cb", { x: "a,b" }],
  ["s://{x}", "s://%2541", { x: "%41" }],
  ["s://{x}", "s://%25%34%31", { x: "%41" }],
  ["s://{x}", "s://%%34%31", undefined],
  ["s://{x}", "s://%E0%A4%A", undefined],
  ["s://{x}", "s://%E0%A4", undefined],
  ["s://%ff/{x}", "s://%FF/1", { x: "1" }],
  ["s://100%/{x}", "s://100%25/1", { x: "1" }],
  ["s://q{?q}", "s://q?q=caf%C3%A9%26b%3D1", { q: "café&b=1" }],
  ["s://q{?q}", "s://q?q=100%", undefined],
  ["file:///d{?path}", "file:///d?path=..%2F..%2Fetc", undefined],
  ["file:///d{?path}", "file:///d?path=a/../../b", undefined],
  ["file:///d?v=1{&path}", "file:///d?v=1&path=%2E%2E%5Cb", undefined],
  ["file:///d{?path,n}", "file:///d?n=1&path=a%00b", undefined],
  ["file:///d{?path}", "file:///d?path=a..b/...", { path: "a..b/..." }],
];

Deno.test("match() returns the variables in a URI", () => {
  for (const [template, uri, variables] of MATCHES) {
    assertEquals(parseUriTemplate(template).match(uri), variables, `${template} ${uri}`);
  }
});

Deno.test("parseUriTemplate() lists the variables in order", () => {
  assertEquals(parseUriTemplate("a:{x}/{y,z}{?q}").variables, ["x", "y", "z", "q"]);
});

Deno.test("parseUriTemplate() throws if the template is invalid", () => {
  for (const template of ["a:{x", "a:x}", "a:{}", "a:{x y}", "a:{;x}", "a:{|x}"]) {
    assertThrows(() => parseUriTemplate(template), TypeError, template);
  }
});

Deno.test("a variable name cannot access the prototype of an object", () => {
  const { match } = parseUriTemplate("a:{__proto__}");
  assertEquals(Object.entries(match("a:1") ?? {}), [["__proto__", "1"]]);
});

Deno.test("match() takes linear time for adversarial URIs", () => {
  // A backtracking regular expression takes minutes to match the test's URIs.
  for (
    const [template, text] of [
      ["t:{+a}/{+b}/{+c}x", "/"],
      ["t:{+a,b,c,d}x", ","],
      ["t:{/a*}{/b*}{/c*}x", "/a"],
      ["t:{a*}{b*}{c*}x", "a,"],
    ] as const
  ) {
    const uri = `t:${text.repeat(4000)}`;
    assertEquals(parseUriTemplate(template).match(uri), undefined);
  }
});
