import { assertEquals } from "@std/assert";
import { BASE, parameter, requestOf } from "../testdata/openapi.ts";

const STRING = "blue";
const ARRAY = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

/** Styles of paths: style, explode, and the texts of the three values. */
const PATHS: readonly [string, boolean, string, string, string][] = [
  ["matrix", false, ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"],
  ["matrix", true, ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"],
  ["label", false, ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
  ["label", true, ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
  ["simple", false, "blue", "blue,black,brown", "R,100,G,200,B,150"],
  ["simple", true, "blue", "blue,black,brown", "R=100,G=200,B=150"],
];

Deno.test("path parameters have the styles of the OpenAPI Specification", async () => {
  for (const [style, explode, ...expected] of PATHS) {
    const operation = { parameters: [parameter("color", "path", { style, explode })] };
    for (const [index, color] of [STRING, ARRAY, OBJECT].entries()) {
      const { url } = await requestOf({ path: "/{color}", operation }, { color });
      assertEquals(url, `${BASE}/${expected[index]}`, `${style} ${explode}`);
    }
  }
});

/** Styles of queries. A style of which the specification defines no text has no text here. */
const QUERIES: readonly [string, boolean, ...(string | undefined)[]][] = [
  ["form", false, "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
  ["form", true, "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
  [
    "spaceDelimited",
    false,
    undefined,
    "color=blue%20black%20brown",
    "color=R%20100%20G%20200%20B%20150",
  ],
  [
    "pipeDelimited",
    false,
    undefined,
    "color=blue%7Cblack%7Cbrown",
    "color=R%7C100%7CG%7C200%7CB%7C150",
  ],
  ["deepObject", true, undefined, undefined, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
];

Deno.test("query parameters have the styles of the OpenAPI Specification", async () => {
  for (const [style, explode, ...expected] of QUERIES) {
    const operation = { parameters: [parameter("color", "query", { style, explode })] };
    for (const [index, color] of [STRING, ARRAY, OBJECT].entries()) {
      const query = expected[index];
      if (query === undefined) continue;
      const { url } = await requestOf({ operation }, { color });
      assertEquals(url, `${BASE}/x?${query}`, `${style} ${explode}`);
    }
  }
});

Deno.test("headers have the style simple and are not percent-encoded", async () => {
  const rows: readonly [boolean, unknown, string][] = [
    [false, "a b/é", "a b/é"],
    [false, ARRAY, "blue,black,brown"],
    [false, OBJECT, "R,100,G,200,B,150"],
    [true, OBJECT, "R=100,G=200,B=150"],
  ];
  for (const [explode, color, expected] of rows) {
    const operation = { parameters: [parameter("X-Color", "header", { explode })] };
    const { headers } = await requestOf({ operation }, { "X-Color": color });
    assertEquals(headers["x-color"], expected);
  }
});

/** Members of a query parameter, value and query. */
const VALUES: readonly [object, unknown, string][] = [
  // The default style of a query parameter is `form`, exploded.
  [{}, ["a", "b"], "?color=a&color=b"],
  [{}, "a b&c=d/é", "?color=a%20b%26c%3Dd%2F%C3%A9"],
  [{}, "!'()*~", "?color=%21%27%28%29%2A~"],
  [{}, "a\ud800", "?color=a%EF%BF%BD"],
  [{}, "", "?color="],
  [{}, 1.5, "?color=1.5"],
  [{}, false, "?color=false"],
  [{}, null, ""],
  [{}, [], ""],
  [{ explode: false }, [], ""],
  [{ explode: false }, ["a,b", "c"], "?color=a%2Cb,c"],
  [{}, { a: null, b: 1 }, "?b=1"],
  [{}, { "a&b": "c" }, "?a%26b=c"],
  [{}, [{ a: 1 }], "?color=%7B%22a%22%3A1%7D"],
  // A reserved character that separates parameters is encoded in any case.
  [{ allowReserved: true }, "a:/?@$,;b", "?color=a:/?@$,;b"],
  [{ allowReserved: true }, "a&b=c#d+[e]%", "?color=a%26b%3Dc%23d%2B%5Be%5D%25"],
  [
    { style: "deepObject" },
    { a: { b: [1, 2] } },
    "?color%5Ba%5D%5Bb%5D%5B%5D=1&color%5Ba%5D%5Bb%5D%5B%5D=2",
  ],
  [{ style: "deepObject" }, [{ a: 1 }, { a: 2 }], "?color%5B0%5D%5Ba%5D=1&color%5B1%5D%5Ba%5D=2"],
  [{ style: "pipeDelimited", explode: true }, ["a", "b"], "?color=a&color=b"],
  [
    { schema: undefined, content: { "application/json": {} } },
    { a: [1] },
    "?color=%7B%22a%22%3A%5B1%5D%7D",
  ],
];

Deno.test("query parameters are encoded", async () => {
  for (const [members, color, query] of VALUES) {
    const operation = { parameters: [parameter("color", "query", members)] };
    const { url } = await requestOf({ operation }, { color });
    assertEquals(url, `${BASE}/x${query}`, JSON.stringify([members, color]));
  }
});

Deno.test("a path parameter is encoded", async () => {
  const operation = { parameters: [parameter("id", "path")] };
  const rows = [
    ["a/b?c#d", "a%2Fb%3Fc%23d"],
    ["%2e%2e", "%252e%252e"],
    ["{id}", "%7Bid%7D"],
    ["...", "..."],
    ["é", "%C3%A9"],
    ["$&", "%24%26"],
  ];
  for (const [id, expected] of rows) {
    const { url } = await requestOf({ path: "/users/{id}", operation }, { id });
    assertEquals(url, `${BASE}/users/${expected}`);
  }
});

Deno.test("a parameter in JSON is sent as JSON text, and one in plain text as text", async () => {
  const json = { schema: undefined, content: { "application/json": { schema: {} } } };
  const text = { schema: undefined, content: { "text/plain": { schema: {} } } };
  const operation = {
    parameters: [parameter("id", "path", json), parameter("q", "query", text)],
  };
  const { url } = await requestOf({ path: "/{id}", operation }, { id: { a: 1 }, q: "x y" });
  assertEquals(url, `${BASE}/%7B%22a%22%3A1%7D?q=x%20y`);
});
