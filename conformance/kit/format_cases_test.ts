import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { formatCaseFile } from "./format_cases.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";

Deno.test("formatCaseFile() breaks the file, its cases, rows and steps, and values that are too long", () => {
  const words = Array.from({ length: 14 }, (_, index) => `word ${index}`);
  const file = {
    cases: [
      { steps: [{ expect: { ok: 1 }, do: "comm.x" }], host: { tools: {} }, id: "comm/a/b" },
      { rows: [{ expect: { ok: words }, name: "\u00e9" }], clauses: [], id: "comm/a/c" },
    ],
    defaults: { role: "server", kind: "exchange" },
    kit: 1,
  };
  assertEquals(
    formatCaseFile(file),
    `{
  "kit": 1,
  "defaults": { "kind": "exchange", "role": "server" },
  "cases": [
    {
      "id": "comm/a/b",
      "host": { "tools": {} },
      "steps": [
        { "do": "comm.x", "expect": { "ok": 1 } }
      ]
    },
    {
      "id": "comm/a/c",
      "clauses": [],
      "rows": [
        {
          "name": "\\u00e9",
          "expect": {
            "ok": [
${words.map((word) => `              "${word}"`).join(",\n")}
            ]
          }
        }
      ]
    }
  ]
}
`,
  );
});

Deno.test("formatCaseFile() writes a line of at most 100 columns, including a comma", () => {
  const textOf = (length: number): string => formatCaseFile({ x: ["a".repeat(length)] });
  assertEquals(textOf(88), `{\n  "x": ["${"a".repeat(88)}"]\n}\n`);
  assertEquals(textOf(89), `{\n  "x": [\n    "${"a".repeat(89)}"\n  ]\n}\n`);
});

/** Objects in which some members have names with a fixed order. */
const MEMBERS = fc.dictionary(
  fc.oneof(fc.constantFrom("id", "steps", "rows", "do", "expect", "name"), fc.string()),
  fc.jsonValue({ maxDepth: 4 }),
  { maxKeys: 6 },
);

/** Files with cases, rows and steps, and with members that are not valid. */
const FILES = fc.record({
  cases: fc.array(
    fc.record({
      id: fc.string(),
      rows: fc.array(MEMBERS, { maxLength: 2 }),
      steps: fc.array(MEMBERS, { maxLength: 2 }),
      other: MEMBERS,
    }, { requiredKeys: [] }),
    { maxLength: 3 },
  ),
  defaults: MEMBERS,
  kit: fc.jsonValue({ maxDepth: 1 }),
}, { requiredKeys: [] });

/** Narrows the type of a parsed file. */
function parse(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error("not an object");
  return value as JsonObject;
}

Deno.test("formatCaseFile() preserves each value, and formatting its output again changes nothing", () => {
  fc.assert(
    fc.property(FILES, (made) => {
      const file = parse(JSON.stringify(made));
      const text = formatCaseFile(file);
      assertEquals(parse(text), file);
      assertEquals(formatCaseFile(parse(text)), text);
      assertEquals(/^[\n\x20-\x7e]*$/.test(text), true);
    }),
    propertyRuns(200),
  );
});

Deno.test("formatCaseFile() returns the same text for each order of the members with a fixed order", () => {
  const step = { do: "comm.x", args: { b: 1, a: 2 }, expect: { ok: {} } };
  const turned = { expect: { ok: {} }, args: { b: 1, a: 2 }, do: "comm.x" };
  const file = { kit: 1, cases: [{ id: "comm/a/b", level: "MUST", steps: [step] }] };
  const other = { cases: [{ steps: [turned], level: "MUST", id: "comm/a/b" }], kit: 1 };
  assertEquals(formatCaseFile(other), formatCaseFile(file));
});

Deno.test("formatCaseFile() writes a value that is nested deeply on one line", () => {
  const depth = 200;
  const nested: JsonValue = JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
  const lines = formatCaseFile({ x: nested }).split("\n");
  const longest = lines.find((line) => line.includes("[]"));
  assertEquals(longest, `${" ".repeat(52)}${"[".repeat(depth - 25)}${"]".repeat(depth - 25)}`);
});

Deno.test("formatCaseFile() keeps the sign of minus zero", () => {
  assertEquals(formatCaseFile({ x: -0 }), '{\n  "x": -0\n}\n');
});

Deno.test("formatCaseFile() writes each turn of a provider on its own line", () => {
  const turn = { reply: { json: {} }, hold: "gate", expect: { method: "POST" } };
  const file = { cases: [{ steps: [{ abort: "a" }], turns: [turn], api: "gemini" }], kit: 1 };
  assertEquals(
    formatCaseFile(file),
    `{
  "kit": 1,
  "cases": [
    {
      "api": "gemini",
      "turns": [
        { "expect": { "method": "POST" }, "hold": "gate", "reply": { "json": {} } }
      ],
      "steps": [
        { "abort": "a" }
      ]
    }
  ]
}
`,
  );
});
