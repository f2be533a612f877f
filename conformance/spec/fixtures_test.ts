import { assert, assertEquals, assertThrows } from "@std/assert";
import { createEverythingServer } from "../drivers/typescript/everything.ts";
import { isObject } from "../kit/json.ts";
import { compileSchema } from "../kit/schema.ts";
import schema from "../schemas/fixtures.schema.json" with { type: "json" };
import { loadSuite } from "../suite.ts";
import fixtures from "./fixtures.json" with { type: "json" };
import { type Fixture, idOf, writeFixtures } from "./fixtures.ts";

// The first test validates the file against its schema.
const FIXTURES = fixtures as readonly Fixture[];

/** Items of the everything server that no case needs: its other official tools, and companions. */
const OTHERS = [
  "resource:skill://kit-guide/kit-inner/SKILL.md",
  "resource:ui://parley-kit/page",
  "template:skill://{+path}",
  "tool:confirm_delete",
  "tool:greet",
  "tool:multi_input",
  "tool:protocol_error_job",
  "tool:test_logging_tool",
  "tool:test_streaming_elicitation",
  "tool:test_tool_with_task",
];

const LISTS = [
  { kind: "tool", method: "tools/list", items: "tools", key: "name" },
  { kind: "prompt", method: "prompts/list", items: "prompts", key: "name" },
  { kind: "resource", method: "resources/list", items: "resources", key: "uri" },
  {
    kind: "template",
    method: "resources/templates/list",
    items: "resourceTemplates",
    key: "uriTemplate",
  },
];

/** Lists the items of the everything server, keyed by fixture id. */
async function listServer(): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const server = await createEverythingServer();
  const extensions = ["tasks", "skills", "ui"].map((
    name,
  ) => [`io.modelcontextprotocol/${name}`, {}]);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { extensions: Object.fromEntries(extensions) },
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  };
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { kind, method, items, key } of LISTS) {
    const response = await server.handleRequest({
      jsonrpc: "2.0",
      id: method,
      method,
      params: { _meta },
    });
    assert(isObject(response) && isObject(response.result));
    assertEquals(response.result.nextCursor, undefined);
    const list = response.result[items];
    assert(Array.isArray(list));
    for (const item of list) found.set(`${kind}:${item[key]}`, item);
  }
  await server.close();
  return found;
}

Deno.test("fixtures.json is valid against its schema, and each fixture occurs once", () => {
  assertEquals(compileSchema(schema)(fixtures), undefined);
  assertEquals(new Set(FIXTURES.map(idOf)).size, FIXTURES.length);
});

Deno.test("fixtures.json contains exactly the fixtures that cases need", () => {
  const cases = [...loadSuite().values()];
  const needed = new Set(cases.flatMap(({ needs }) => needs?.fixtures ?? []));
  assertEquals(FIXTURES.map(idOf).toSorted(), [...needed].toSorted());
  for (const { id, needs } of cases) {
    const own = FIXTURES.filter((each) => needs?.fixtures?.includes(idOf(each)));
    const extensions = own.flatMap(({ extension }) => extension === undefined ? [] : [extension]);
    const isDeclared = extensions.every((each) => needs?.extensions?.includes(each));
    // The result of this tool for clients without the extension is tested, too.
    assert(isDeclared || own.some(({ name }) => name === "test_task"), id);
  }
});

Deno.test("the everything server has exactly the fixtures, with their schemas", async () => {
  const listed = await listServer();
  const names = [...FIXTURES.map(idOf), ...OTHERS];
  assertEquals([...listed.keys()].toSorted(), names.toSorted());
  for (const fixture of FIXTURES) {
    const { inputSchema, outputSchema, mimeType, arguments: args } = listed.get(idOf(fixture)) ??
      {};
    const isTool = fixture.kind === "tool";
    const schema = isTool ? fixture.inputSchema ?? { type: "object" } : undefined;
    assertEquals([inputSchema, outputSchema], [schema, fixture.outputSchema], fixture.name);
    assertEquals(mimeType, fixture.mimeType, fixture.name);
    if (fixture.kind !== "prompt") continue;
    assert(Array.isArray(args));
    const required: readonly unknown[] = args.map(({ name, required }) =>
      required === true ? name : undefined
    );
    assertEquals(required, fixture.arguments ?? [], fixture.name);
  }
});

Deno.test("writeFixtures() writes an aligned table, and keeps the text around it", () => {
  const start = "<!-- fixtures: deno task spec writes this table from spec/fixtures.json -->";
  const text = `one\n${start}\nold\n<!-- /fixtures -->\ntwo\n`;
  const written = writeFixtures(text, [
    {
      kind: "tool",
      name: "sum",
      inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "string" } } },
      behavior: "Adds",
    },
    { kind: "tool", name: "x", inputSchema: { not: {} }, extension: "a/b", behavior: "Fails" },
    { kind: "prompt", name: "p", arguments: ["c", "d"], behavior: "Asks" },
  ]);
  assertEquals(
    written,
    `one\n${start}

| Fixture    | Extension | Arguments                     | Behavior |
| ---------- | --------- | ----------------------------- | -------- |
| \`tool:sum\` |           | \`a\` (number), \`b\` (string)    | Adds     |
| \`tool:x\`   | \`b\`       | the schema in \`fixtures.json\` | Fails    |
| \`prompt:p\` |           | \`c\`, \`d\`                      | Asks     |

<!-- /fixtures -->\ntwo\n`,
  );
  assertEquals(writeFixtures(written, []).includes("tool:sum"), false);
  assertThrows(() => writeFixtures("one", []), SyntaxError, "no line");
});
