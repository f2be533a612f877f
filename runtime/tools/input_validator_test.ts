import { assertEquals, assertThrows } from "@std/assert";
import type { JsonSchema, StandardSchema } from "../shared/schema.ts";
import { inputValidator, toJsonSchema } from "./input_validator.ts";
import { ToolRegistry } from "./registry.ts";

const CITY = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 2 },
    days: { type: "array", items: { type: "integer" } },
    unit: { $ref: "#/$defs/unit" },
  },
  required: ["city"],
  additionalProperties: false,
  $defs: { unit: { enum: ["C", "F"] } },
};

/** Input and the places where something is wrong with it. */
const TABLE: readonly [unknown, readonly string[]][] = [
  [{ city: "Oslo", days: [1, 2], unit: "C" }, []],
  [{}, [""]],
  [{ city: "O" }, ["/city"]],
  [{ city: 1, days: [1, "2"] }, ["/city", "/days/1"]],
  [{ city: "Oslo", unit: "K" }, ["/unit"]],
  ["Oslo", [""]],
  [null, [""]],
];
for (const [input, places] of TABLE) {
  Deno.test(`the default validator finds what is wrong with ${JSON.stringify(input)}`, async () => {
    const check = inputValidator(CITY);
    const verdict = await check(input);
    assertEquals(verdict.ok, places.length === 0);
    if (!verdict.ok) assertEquals([...new Set(verdict.issues.map(({ path }) => path))], places);
  });
}

Deno.test("the default validator follows the draft that a schema names", async () => {
  const items = [{ type: "string" }, { type: "number" }];
  const old = inputValidator({ $schema: "http://json-schema.org/draft-07/schema#", items });
  assertEquals((await old(["a", "b"])).ok, false);
  const current = inputValidator({ prefixItems: items });
  assertEquals((await current(["a", "b"])).ok, false);
});

Deno.test("a schema that cannot be used fails every input instead of throwing", async () => {
  const broken: readonly JsonSchema[] = [{ $ref: "#/nowhere" }, { pattern: "(" }];
  for (const schema of broken) {
    const verdict = await inputValidator(schema)("text");
    assertEquals(verdict.ok, false);
  }
  const throwing = inputValidator({}, {
    compile: () => {
      throw new Error("no such keyword");
    },
  });
  assertEquals(await throwing({}), {
    ok: false,
    issues: [{ path: "", message: "the tool's schema cannot be used: no such keyword" }],
  });
});

Deno.test("a validator of one's own is compiled once for each tool", async () => {
  let compiled = 0;
  const registry = new ToolRegistry(
    [{ name: "t", inputSchema: {}, execute: () => 1 }],
    { validator: { compile: () => (compiled++, () => []) } },
  );
  for (let time = 0; time < 3; time++) await registry.find("t")?.checkInput({});
  assertEquals(compiled, 1);
});

function standard(
  validate: StandardSchema["~standard"]["validate"],
  describe: (target: string) => Record<string, unknown> = () => ({ type: "object" }),
): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate,
      jsonSchema: { input: ({ target }) => describe(target) },
    },
  };
}

Deno.test("a Standard Schema validates by itself, now or later, and its value is used", async () => {
  const upper = standard((value) => ({ value: String(value).toUpperCase() }));
  assertEquals(await inputValidator(upper)("a"), { ok: true, value: "A" });
  const later = standard(() =>
    Promise.resolve({ issues: [{ message: "bad", path: ["a/b", { key: 0 }, "~"] }] })
  );
  assertEquals(await inputValidator(later)("a"), {
    ok: false,
    issues: [{ path: "/a~1b/0/~0", message: "bad" }],
  });
  const thenable = {
    then: (done: (result: unknown) => void) => done({ issues: [{ message: "bad" }] }),
  };
  assertEquals((await inputValidator(standard(() => thenable as never))("a")).ok, false);
  for (
    const failing of [
      standard(() => Promise.reject(new Error("x"))),
      standard(() => {
        throw new Error("x");
      }),
    ]
  ) {
    assertEquals((await inputValidator(failing)("a")).ok, false);
  }
});

Deno.test("toJsonSchema() asks for 2020-12, then for draft-07, and says when a library cannot", () => {
  const seventh = standard((value) => ({ value }), (target) => {
    if (target !== "draft-07") throw new Error("unknown target");
    return { target };
  });
  assertEquals(toJsonSchema(seventh), { target: "draft-07" });
  const mute = standard((value) => ({ value }), () => {
    throw new Error("not representable");
  });
  assertThrows(() => toJsonSchema(mute), TypeError, "not representable");
  const old = { "~standard": { version: 1, vendor: "old", validate: () => ({ value: 1 }) } };
  assertThrows(() => toJsonSchema(old as never), TypeError, 'of "old"');
  assertThrows(
    () => new ToolRegistry([{ name: "t", inputSchema: old as never, execute: () => 1 }]),
    TypeError,
  );
});
