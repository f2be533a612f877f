import { assertEquals } from "@std/assert";
import { checkCode } from "./code_rules.ts";

/** Returns true if the code breaks a rule. */
function isReported(code: string, path = "mcp/x.ts"): boolean {
  return checkCode(path, code).length > 0;
}

Deno.test("checkCode() names the file, the line, the rule and the code of each place", () => {
  const source = "/*\n * Colors.\n */\nenum Color {\n  Red,\n}\n\nenum Size { Small }\n";
  assertEquals(checkCode("tools/x.ts", source), [
    "tools/x.ts:4: use a const object and a union type: enum Color {",
    "tools/x.ts:8: use a const object and a union type: enum Size {",
  ]);
});

Deno.test("checkCode() reports the console in the libraries, but not in tests and programs", () => {
  const code = 'console.error("x");';
  assertEquals(isReported(code, "comm/a/b.ts"), true);
  assertEquals(isReported(code, "conformance/kit/b.ts"), true);
  assertEquals(isReported('console["error"]("x");', "comm/a/b.ts"), true);
  for (
    const path of [
      "comm/a/b_test.ts",
      "runtime/testdata/a.ts",
      "examples/a/main.ts",
      "mcp/shared/error_printer.ts",
    ]
  ) assertEquals([path, isReported(code, path)], [path, false]);
  assertEquals(isReported("options.console.log(1)"), false);
});

Deno.test("checkCode() ignores comments and strings", () => {
  assertEquals(isReported('// console.log(1)\nlog("enum A {}", `export * from`);\n'), false);
});

for (
  const [code, expected] of [
    ["export const enum A { B }", true],
    ["const x = { enum: A }", false],
    ['export * from "./x.ts";', true],
    ['export * as x from "./x.ts";', true],
    ['export type * from "./x.ts";', true],
    ['export { x } from "./x.ts";', false],
    ["class A {\n  private b = 1;\n}", true],
    ["class A {\n  private readonly b = 1;\n}", true],
    ["class A {\n  private constructor() {}\n}", true],
    ["const f = <T>(a: T) => a;", true],
    ["let f = () => 1;", true],
    ["const f = (a: (b: (c: C) => D) => E) => a;", true],
    ["const init = { private: true };", false],
    ["const f = () => 1;", true],
    ["export const f = async (a: number): Promise<void> => {};", true],
    ["const f = a => a;", true],
    ["const f: (a: A) => B = (a) => a;", true],
    ["const f = ({ a }: { a: (b: B) => void }) => a(1);", true],
    ["const f: () => void = make();", false],
    ["const a = list.map((b) => b);", false],
    ["const a = (b);\nrun(() => a);", false],
    ["const a = b;\n  const f = () => 1;", false],
    ["const MAP = { f: () => 1 };", false],
  ] as const
) {
  Deno.test(`checkCode() ${expected ? "reports" : "permits"} ${JSON.stringify(code)}`, () => {
    assertEquals(isReported(code), expected);
  });
}

Deno.test("checkCode() reports sleeps in tests", () => {
  const code = "setTimeout(resolve, 10);";
  assertEquals([isReported(code, "comm/a_test.ts"), isReported(code)], [true, false]);
  assertEquals(isReported("time.setTimeout(resolve, 10);", "comm/a_test.ts"), false);
});
