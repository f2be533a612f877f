import { assertEquals } from "@std/assert";
import { codeOf, splitSource } from "./lexer.ts";

Deno.test("splitSource() returns comments and strings with their kinds", () => {
  const source = `/** Doc. */
// a "line"
const a = "x // y"; /* block */ const b = 'it\\'s';`;
  assertEquals(splitSource(source).map(({ kind, text }) => [kind, text]), [
    ["doc", " Doc. "],
    ["comment", ` a "line"`],
    ["string", "x // y"],
    ["comment", " block "],
    ["string", "it\\'s"],
  ]);
});

Deno.test("splitSource() reads nested templates", () => {
  const source = '`a ${f({ x: `b ${1}` })} c` + "d"';
  assertEquals(splitSource(source).map(({ text }) => text), ["a ", "b ", "", " c", "d"]);
});

Deno.test("codeOf() returns code, including the expressions in templates", () => {
  const table: readonly [string, string][] = [
    ["a(`x ${Deno.pid} y`)", 'a(""Deno.pid"")'],
    ["f(); // g()", "f();  "],
    [`const r = /"[^"/]*"/g; g("x")`, `const r = /"[^"/]*"/g; g("")`],
    [`a / b / "c"`, `a / b / ""`],
    ["return /'/.test(x)", "return /'/.test(x)"],
    ["/** never ends", " "],
    ["/*\n * a\n */ f(`x\n${b}`);", ' \n\n f(""\nb"");'],
  ];
  for (const [source, expected] of table) assertEquals(codeOf(source), expected, source);
});

Deno.test("splitSource() returns offsets from which the source can be reassembled", () => {
  const source = "x = `a${b}c`; /* d */ 'e'";
  for (const { text, start, end } of splitSource(source)) {
    assertEquals(source.slice(start, end).includes(text), true);
  }
});
