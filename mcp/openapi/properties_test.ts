import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { type OpenApiOptions, openApiTools } from "../openapi.ts";
import { BASE, documentWith, parameter, recorder, toolsOf } from "../testdata/openapi.ts";

const OPTIONS: OpenApiOptions = { baseUrl: BASE, operations: () => true, onError: () => {} };

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const INPUT_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** Asserts that all names are accepted by model providers and that no two tools share one. */
function assertNames(document: unknown, options: Partial<OpenApiOptions> = {}): void {
  const { tools } = toolsOf(document, options);
  const names = tools.map(({ definition }) => definition.name);
  for (const name of names) assert(TOOL_NAME.test(name), name);
  assertEquals(new Set(names).size, names.length);
  for (const { definition } of tools) {
    for (const name of Object.keys(Object(definition.inputSchema.properties))) {
      assert(INPUT_NAME.test(name), name);
    }
  }
}

/** Creates tools. Returns false if an argument is rejected, which is the only permitted error. */
function isAccepted(document: unknown): boolean {
  try {
    const { tools, skipped } = openApiTools(document, OPTIONS);
    assert(tools.length + skipped.length >= 0);
    return true;
  } catch (error) {
    if (error instanceof TypeError && /^"document/.test(error.message)) return false;
    if (error instanceof RangeError && /^"operations" must select/.test(error.message)) {
      return false;
    }
    throw error;
  }
}

const anything = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true });

/** Values with the names of OpenAPI, so that some of the document has the right shape. */
const likely: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    anything,
    fc.constantFrom("query", "path", "header", "string", "object", "#/a", "#/paths", "form", true),
    fc.record({ $ref: fc.constantFrom("#/a", "#/b", "#/paths", "x.json", "#/%zz") }),
    fc.dictionary(
      fc.constantFrom(
        "parameters",
        "name",
        "in",
        "schema",
        "requestBody",
        "content",
        "application/json",
        "application/x-www-form-urlencoded",
        "encoding",
        "properties",
        "required",
        "allOf",
        "items",
        "type",
        "enum",
        "readOnly",
        "nullable",
        "__proto__",
      ),
      tie("value"),
    ),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
})).value;

Deno.test("a document of any shape is either read or rejected with the documented error", () => {
  fc.assert(
    fc.property(anything, (document) => {
      isAccepted(document);
    }),
    propertyRuns(300),
  );
  const operation = fc.record({
    operationId: fc.oneof(fc.string(), anything),
    parameters: fc.oneof(
      likely,
      fc.array(fc.record({ name: fc.string(), in: fc.string(), schema: likely })),
    ),
    requestBody: fc.oneof(
      likely,
      fc.record({ content: fc.record({ "application/json": fc.record({ schema: likely }) }) }),
    ),
    summary: anything,
    tags: anything,
  });
  const document = fc.record({
    openapi: fc.constantFrom("3.0.0", "3.1.0", "3.2.0"),
    paths: fc.dictionary(fc.string(), fc.record({ get: operation, post: operation })),
    components: likely,
    a: likely,
    b: likely,
  });
  fc.assert(
    fc.property(document, (document) => {
      assert(isAccepted(document) || Object.keys(document.paths).length > 64);
    }),
    propertyRuns(300),
  );
});

Deno.test("every name is accepted by model providers and unique", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 80 }),
    fc.constantFrom("a/b", "a b", "a_b", "a.b", "__proto__", "constructor", "a".repeat(70)),
  );
  const operation = fc.record({
    operationId: text,
    parameters: fc.array(fc.record({ name: text, in: fc.constant("query") }), { maxLength: 5 }),
  });
  const paths = fc.dictionary(
    text.map((path) => `/${path}`),
    fc.record({ get: operation, post: operation }),
  );
  fc.assert(
    fc.property(paths, text, (paths, prefix) => assertNames(documentWith(paths), { prefix })),
    propertyRuns(300),
  );
});

/** Parts of paths and of arguments that could change a URL. */
const part = fc.oneof(
  fc.constantFrom(
    ".",
    "..",
    "/",
    "\\",
    "%2e",
    "%2F",
    "?",
    "#",
    "@",
    ":",
    "\t",
    "\n",
    "",
    "a",
    "//evil.example",
    "https://evil.example",
  ),
  fc.string({ unit: "binary", maxLength: 4 }),
);
const text = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(""));
const argument = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.dictionary(text, text));

Deno.test("the URL of every request is below the base URL", async () => {
  const options = fc.record({
    path: fc.array(fc.oneof(part, fc.constantFrom("{a}", "{b}"))).map((parts) =>
      `/${parts.join("")}`
    ),
    style: fc.constantFrom("simple", "label", "matrix"),
    explode: fc.boolean(),
    root: fc.constantFrom("", "/", "/v1", "/v1/", "/v1/x"),
  });
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(options, argument, argument, async ({ path, style, explode, root }, a, b) => {
      const parameters = ["a", "b"].map((name) => parameter(name, "path", { style, explode }));
      const query = parameter("q", "query");
      const get = { operationId: "op", parameters: [...parameters, query] };
      const { fetch, requests } = recorder();
      const baseUrl = `https://api.example.com${root}`;
      const { tools } = toolsOf(documentWith({ [path]: { get } }), { fetch, baseUrl });
      const [tool] = tools;
      if (tool === undefined) return;
      const { properties } = tool.definition.inputSchema;
      const all = Object.entries({ a, b, q: a });
      await tool.call(Object.fromEntries(all.filter(([name]) => name in Object(properties))));
      const [request] = requests;
      if (request === undefined) return;
      sent++;
      const folder = `${baseUrl.replace(/\/$/, "")}/`;
      const { href, hash, origin } = new URL(request.url);
      assertEquals([origin, hash], ["https://api.example.com", ""]);
      assert(href.startsWith(folder), href);
      // The template and the request have the same number of segments: no argument adds one.
      const [pathname = ""] = href.slice(folder.length - 1).split("?");
      const [template = ""] = path.split(/[?#]/);
      assertEquals(pathname.split("/").length, template.split("/").length, href);
    }),
    propertyRuns(2000),
  );
  assert(sent > 0);
});

Deno.test("no argument adds a header or a query parameter", async () => {
  await fc.assert(
    fc.asyncProperty(argument, argument, async (q, header) => {
      const { fetch, requests } = recorder();
      const get = {
        operationId: "op",
        parameters: [parameter("q", "query", { explode: false }), parameter("X-A", "header")],
      };
      const api = toolsOf(documentWith({ "/x": { get } }), { fetch });
      await api.callTool("op", { q, "X-A": header });
      const [request] = requests;
      if (request === undefined) return;
      const allowed = ["accept", "x-a"];
      for (const name of Object.keys(request.headers)) assert(allowed.includes(name), name);
      const names = [...new URL(request.url).searchParams.keys()];
      for (const name of names) assertEquals(name, "q");
      assert(names.length <= 1);
    }),
    propertyRuns(500),
  );
});
