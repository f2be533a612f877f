import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { countPairs, findDuplicates, formatRun } from "./duplicates.ts";

/** Returns the runs in files, given as lines of code keyed by path. */
function find(files: Readonly<Record<string, readonly string[]>>): string[] {
  const sources = Object.entries(files).map(([path, lines]) => ({
    path,
    source: lines.join("\n"),
  }));
  return findDuplicates(sources).map(formatRun);
}

const SIX = ["a();", "b();", "c();", "d();", "e();", "f();"];

Deno.test("findDuplicates() finds runs of six equal lines in different members", () => {
  const table: readonly [string, Readonly<Record<string, readonly string[]>>, readonly string[]][] =
    [
      ["six lines", { "m/a.ts": SIX, "n/b.ts": ["x();", ...SIX] }, ["m/a.ts:1-6 ~ n/b.ts:2-7"]],
      ["five lines", { "m/a.ts": SIX.slice(1), "n/b.ts": SIX }, []],
      ["one member", { "m/a.ts": SIX, "m/b.ts": SIX }, []],
      ["a longer run", { "m/a.ts": [...SIX, "g();", "h();"], "n/b.ts": [...SIX, "g();"] }, [
        "m/a.ts:1-7 ~ n/b.ts:1-7",
      ]],
      ["two runs", { "m/a.ts": [...SIX, "x();", ...SIX], "n/b.ts": SIX }, [
        "m/a.ts:1-6 ~ n/b.ts:1-6",
        "m/a.ts:8-13 ~ n/b.ts:1-6",
      ]],
      ["three members", { "m/a.ts": SIX, "n/b.ts": SIX, "o/c.ts": SIX }, [
        "m/a.ts:1-6 ~ n/b.ts:1-6",
        "m/a.ts:1-6 ~ o/c.ts:1-6",
        "n/b.ts:1-6 ~ o/c.ts:1-6",
      ]],
    ];
  for (const [name, files, expected] of table) assertEquals(find(files), [...expected], name);
});

Deno.test("findDuplicates() passes over blank lines, comments, imports and punctuation", () => {
  const spread = [
    'import { x } from "./x.ts";',
    "a();",
    "",
    "  // one",
    "b();",
    "/**",
    " * two",
    " */",
    "\tc();",
    "  }",
    "d();",
    "e();",
    "]);",
    "f();",
  ];
  assertEquals(find({ "m/a.ts": spread, "n/b.ts": SIX }), ["m/a.ts:2-14 ~ n/b.ts:1-6"]);
});

Deno.test("findDuplicates() folds white space in a line", () => {
  const spaced = SIX.map((line) => `  const  x =\t${line}`);
  const plain = SIX.map((line) => `const x = ${line}`);
  assertEquals(find({ "m/a.ts": spaced, "n/b.ts": plain }), ["m/a.ts:1-6 ~ n/b.ts:1-6"]);
});

Deno.test("findDuplicates() does not count lists of imported or exported names", () => {
  const names = ["  a,", "  b,", "  c,", "  type D,", "  e,", "  f,"];
  for (
    const [first, last] of [["import {", '} from "./x.ts";'], ["export {", '} from "./x.ts";']]
  ) {
    const lines = [first ?? "", ...names, last ?? ""];
    assertEquals(find({ "m/a.ts": lines, "n/b.ts": lines }), []);
  }
  const own = [
    "export const list = [",
    ...names.filter((name) => !name.includes("type")),
    "g,",
    "];",
  ];
  assertEquals(find({ "m/a.ts": own, "n/b.ts": own }).length, 1);
});

Deno.test("findDuplicates() compares the text of strings, also if it looks like a comment", () => {
  const lines = SIX.map((_, index) => `log("http://a/${index}");`);
  assertEquals(find({ "m/a.ts": lines, "n/b.ts": lines }).length, 1);
  assertEquals(find({ "m/a.ts": lines, "n/b.ts": lines.map((line) => `${line} // x`) }).length, 1);
  const others = lines.map((line) => line.replace("/a/", "/b/"));
  assertEquals(find({ "m/a.ts": lines, "n/b.ts": others }), []);
});

Deno.test("findDuplicates() finds each shared run that is surrounded by other lines", () => {
  const line = fc.stringMatching(/^[a-z]{1,3}$/);
  fc.assert(fc.property(
    fc.array(line, { minLength: 6, maxLength: 12 }),
    fc.nat({ max: 20 }),
    fc.nat({ max: 20 }),
    (shared, before, after) => {
      const own = (name: string, count: number) =>
        Array.from({ length: count }, (_, index) => `${name}${index};`);
      const unique = shared.map((text, index) => `${text}${index};`);
      const found = find({
        "m/a.ts": [...own("M_A", before), ...unique, ...own("M_Z", after)],
        "n/b.ts": [...own("N_A", after), ...unique, ...own("N_Z", before)],
      });
      const [a, b] = [before + 1, after + 1];
      const end = unique.length - 1;
      assertEquals(found, [`m/a.ts:${a}-${a + end} ~ n/b.ts:${b}-${b + end}`]);
    },
  ));
});

Deno.test("countPairs() counts each pair of files once for its pair of members", () => {
  const other = SIX.map((line) => `other.${line}`);
  const sources = [
    { path: "m/a.ts", source: [...SIX, "x();", ...other].join("\n") },
    { path: "n/b.ts", source: [...SIX, "y();", ...other].join("\n") },
    { path: "n/c.ts", source: SIX.join("\n") },
    { path: "o/d.ts", source: other.join("\n") },
  ];
  assertEquals(Object.fromEntries(countPairs(findDuplicates(sources))), {
    "m ~ n": 2,
    "m ~ o": 1,
    "n ~ o": 1,
  });
});
