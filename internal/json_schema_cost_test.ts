import { assertEquals, assertMatch } from "@std/assert";
import { jsonSchemaValidator } from "./json_schema.ts";

/** Returns the issues for a value as text, and fails if the validation takes seconds. */
async function issuesOf(schema: object, value: unknown): Promise<string> {
  const check = jsonSchemaValidator().compile({ ...schema });
  const startedAt = performance.now();
  const issues = await check(value);
  const ms = performance.now() - startedAt;
  // An uncounted loop over the members takes far longer, and a slow machine does not.
  assertEquals(ms < 3000, true, `the validation took ${ms} ms`);
  return issues.map(({ message, path }) => `${path || "/"}: ${message}`).join("; ");
}

function objectOf(count: number, members: object = {}): object {
  const entries = Array.from({ length: count }, (_, index) => [`k${index}`, 1]);
  return { ...Object.fromEntries(entries), ...members };
}

function idsUntil(count: number): readonly object[] {
  return Array.from({ length: count }, (_, id) => ({ id }));
}

Deno.test("jsonSchemaValidator() compares large objects in a limited number of steps", async () => {
  const choices = { properties: { x: { enum: idsUntil(300) } } };
  assertMatch(await issuesOf(choices, { x: objectOf(190_000) }), /^\/x: does not match any of/);
  const unique = { uniqueItems: true };
  const items = [...idsUntil(400), ...idsUntil(19).map((each) => objectOf(10_000, each))];
  assertMatch(await issuesOf(unique, items), /^(\/: takes too long.*)?$/);
  const equal = [...items.slice(0, 20), objectOf(1000), objectOf(1000)];
  assertEquals(await issuesOf(unique, equal), "/: duplicate items at indexes 20 and 21");
});

Deno.test("jsonSchemaValidator() compares many different items in few steps", async () => {
  const items = Array.from({ length: 1000 }, (_, id) => objectOf(20, { id }));
  assertEquals(await issuesOf({ uniqueItems: true }, items), "");
  assertMatch(await issuesOf({ uniqueItems: true }, [...items.slice(1), items[5]]), /duplicate/);
});

Deno.test("jsonSchemaValidator() treats items as equal regardless of the order of properties", async () => {
  const unique = { uniqueItems: true };
  const issues = await issuesOf(unique, [{ a: [0], b: "x" }, { b: "x", a: [-0] }]);
  assertEquals(issues, "/: duplicate items at indexes 0 and 1");
  const different = [[1], ["1"], [true], ["true"], [[1]], [null], ["null"], [], {}, [{}], [[]]];
  assertEquals(await issuesOf(unique, different), "");
  assertEquals(
    await issuesOf(unique, [{ a: 'b","c' }, { a: "b", c: "" }, ["a", "b"], ["a,b"]]),
    "",
  );
});

Deno.test("jsonSchemaValidator() examines the items before it compares them", async () => {
  const schema = { items: { type: "string" }, uniqueItems: true };
  assertEquals(
    await issuesOf(schema, [1, 1]).then((text) => text.slice(0, 18)),
    "/0: must be string",
  );
});

Deno.test("jsonSchemaValidator() counts the properties of an object for each keyword", async () => {
  const strict = (name: string) => ({
    properties: { op: { enum: [name, "or"] }, a: { $ref: "#/$defs/e" } },
    required: ["op"],
    additionalProperties: false,
  });
  const e = { anyOf: [strict("and"), strict("or")] };
  let value: object = { op: "and", ...objectOf(50_000) };
  for (let depth = 0; depth < 12; depth++) value = { op: "or", a: value };
  await issuesOf({ $ref: "#/$defs/e", $defs: { e } }, value);
});
