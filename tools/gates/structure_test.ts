import { assertEquals } from "@std/assert";
import { compareToExceptions, findLongParts, type LongPart, lowerExceptions } from "./structure.ts";

/** Returns lines of code. */
function lines(count: number): string {
  return "  run();\n".repeat(count);
}

Deno.test("findLongParts() accepts functions of 60 lines and files of 400 lines", () => {
  const source = `function f(): void {\n${lines(58)}}\n` + "run();\n".repeat(340);
  assertEquals(findLongParts({ path: "m/a.ts", source }), []);
});

Deno.test("findLongParts() returns the lines of a file that is too long", () => {
  assertEquals(findLongParts({ path: "m/a.ts", source: "run();\n".repeat(401) }), [
    { key: "m/a.ts", path: "m/a.ts", line: 1, lines: 401 },
  ]);
});

Deno.test("findLongParts() counts a function from its first line without its doc comment", () => {
  const table: readonly [string, string, number, number][] = [
    [`/**\n * Runs.\n */\nexport async function f(): void {\n${lines(59)}}\n`, "f", 4, 61],
    [`const f = (\n  a: A,\n): void => {\n${lines(58)}};\n`, "f", 1, 62],
    [`class A {\n  constructor() {\n${lines(59)}}\n}\n`, "A.constructor", 2, 61],
    [`class A {\n\n  #b(): void {\n${lines(60)}  }\n}\n`, "A.#b", 3, 62],
    [`const a = {\n  get b() {\n${lines(59)}  },\n};\n`, "a.b", 2, 61],
    [`run(() => {\n${lines(59)}});\n`, "function", 1, 61],
  ];
  for (const [source, name, line, count] of table) {
    const path = "m/a.ts";
    assertEquals(findLongParts({ path, source }), [
      { key: `${path} ${name}`, path, name, line, lines: count },
    ]);
  }
});

Deno.test("findLongParts() does not count braces in strings, comments and templates", () => {
  const text = `function f(): string {\n  return "{" + \`{\${1}\`; // {\n}\n` +
    "run();\n".repeat(90);
  assertEquals(findLongParts({ path: "m/a.ts", source: text }), []);
});

Deno.test("findLongParts() returns the outer and the inner function if both are too long", () => {
  const source = `function f(): void {\n  function g(): void {\n${lines(60)}  }\n}\n`;
  const found = findLongParts({ path: "m/a.ts", source });
  assertEquals(found.map(({ name, lines }) => [name, lines]), [["f", 64], ["f.g", 62]]);
});

const FUNCTION: LongPart = { key: "m/a.ts f", path: "m/a.ts", name: "f", line: 7, lines: 64 };
const FILE: LongPart = { key: "m/a.ts", path: "m/a.ts", line: 1, lines: 420 };

Deno.test("compareToExceptions() names the place, the size and the limit", () => {
  assertEquals(compareToExceptions([FUNCTION, FILE], {}).errors, [
    "m/a.ts:7 f() has 64 lines, the maximum is 60; divide it",
    "m/a.ts has 420 lines, the maximum is 400; divide it",
  ]);
  assertEquals(compareToExceptions([FUNCTION, FILE], { "m/a.ts f": 63, "m/a.ts": 419 }).errors, [
    "m/a.ts:7 f() has 64 lines, but tools/gates/structure.json allows 63; divide it",
    "m/a.ts has 420 lines, but tools/gates/structure.json allows 419; divide it",
  ]);
});

Deno.test("compareToExceptions() accepts listed sizes and reasons, and reports what can be lowered", () => {
  const file = "tools/gates/structure.json";
  assertEquals(compareToExceptions([FUNCTION, FILE], { "m/a.ts f": 64, "m/a.ts": "a table" }), {
    errors: [],
    hints: [],
  });
  assertEquals(compareToExceptions([FUNCTION], { "m/a.ts f": 70, "m/gone.ts": 500 }), {
    errors: [],
    hints: [`m/a.ts f: lower 70 to 64 in ${file}`, `m/gone.ts: remove it from ${file}`],
  });
});

Deno.test("lowerExceptions() lowers numbers, but never raises or adds a number", () => {
  const allowed = { "m/a.ts f": 63, "m/a.ts": 500, "m/b.ts": "a table", "m/gone.ts": 500 };
  const parts = [FUNCTION, FILE, { ...FILE, key: "m/b.ts" }, { ...FILE, key: "m/new.ts" }];
  assertEquals(lowerExceptions(parts, allowed), {
    "m/a.ts f": 63,
    "m/a.ts": 420,
    "m/b.ts": "a table",
  });
});
