import { assertEquals } from "@std/assert";
import { fillBlock, findBlockFaults, formatBlock, readBlocks } from "./comment_blocks.ts";

/** Fills every block to a width, and returns the lines without the space after the marker. */
function fill(width: number, ...lines: readonly string[]): string[] {
  const padded = lines.map((line) => line === "" ? "" : ` ${line}`);
  return readBlocks(padded, { isLineComment: false })
    .flatMap((block) => formatBlock(fillBlock(block, width)))
    .map((line) => line.slice(1));
}

/** Returns the kind and the index of each fault of a paragraph. */
function faultsOf(width: number, ...lines: readonly string[]): string[] {
  const [block] = readBlocks(lines.map((line) => ` ${line}`), { isLineComment: false });
  if (block === undefined) throw new Error("the comment has no block");
  return findBlockFaults(block, width).map(({ kind, index }) => `${kind} ${index}`);
}

Deno.test("fillBlock() fills the lines of a paragraph", () => {
  assertEquals(fill(12, "one two three four", "five"), ["one two", "three four", "five"]);
  assertEquals(fill(12, "one", "two", "three"), ["one two", "three"]);
});

Deno.test("fillBlock() keeps the lines of code, tables, headings, examples and aligned text", () => {
  const table: readonly (readonly string[])[] = [
    ["```ts", "one two three four", "a", "```"],
    ["~~~", "```", "one", "two", "~~~"],
    ["    one two three four", "    five"],
    ["| one two three |", "| - |"],
    ["# one two three four", "> one two three four"],
    ["@example one two three", "a", "```ts", "a", "b", "```", "c", "d"],
    ["GET   one two three", "POST  four"],
    ["-", "one two"],
    ["#", "one two"],
    ["[one]: https://example.com/one", "[two]: b"],
  ];
  for (const lines of table) assertEquals(fill(12, ...lines), [...lines]);
});

Deno.test("fillBlock() does not join paragraphs, list items and tags", () => {
  const lines = ["one", "", "two", "- three", "- four", "", "@throws five", "@returns six"];
  assertEquals(fill(80, ...lines), lines);
  assertEquals(fill(80, "@example a", "one", "@throws b", "c"), [
    "@example a",
    "one",
    "@throws b c",
  ]);
});

Deno.test("fillBlock() indents the lines of a list item and keeps those of a tag", () => {
  const table: readonly [readonly string[], readonly string[]][] = [
    [["- one two three"], ["- one two", "  three"]],
    [["- one two three", "four"], ["- one two", "  three four"]],
    [["12. one two three"], ["12. one two", "    three"]],
    [["  - one two three"], ["  - one two", "    three"]],
    [["@throws one two", "  three four"], ["@throws one", "  two three", "  four"]],
    [["@throws one two", "three four"], ["@throws one", "two three", "four"]],
  ];
  for (const [lines, expected] of table) assertEquals(fill(12, ...lines), [...expected]);
});

Deno.test("fillBlock() does not divide words, links and short code spans", () => {
  const table: readonly [string, readonly string[]][] = [
    ["a https://example.com/a/b/c d", ["a", "https://example.com/a/b/c", "d"]],
    ["see {@link a | b c d} e", ["see", "{@link a | b c d}", "e"]],
    ["run `a b c d e f`, then g", ["run", "`a b c d e f`,", "then g"]],
    ["@see {@link a | b c d}", ["@see", "{@link a | b c d}"]],
  ];
  for (const [line, expected] of table) assertEquals(fill(12, line), [...expected]);
});

Deno.test("fillBlock() starts no line with a word that would change the line's meaning", () => {
  for (const word of ["-", "*", "+", "12.", "3)", "#", "@a", "|", ">", "```", "[a]:"]) {
    assertEquals(fill(14, `one two seven ${word} x`), ["one two", `seven ${word} x`], word);
  }
});

Deno.test("findBlockFaults() finds wide lines, but not words that are too wide", () => {
  assertEquals(faultsOf(12, "one two three", "four"), ["wide 0"]);
  assertEquals(faultsOf(13, "one two three", "four"), []);
  assertEquals(faultsOf(12, "https://example.com/a/b/c"), []);
  assertEquals(faultsOf(12, "{@link a | b c d}", "e"), []);
});

Deno.test("findBlockFaults() finds torn lines, but not the ends of sentences and of paragraphs", () => {
  assertEquals(faultsOf(31, "one two", "six and seven"), ["torn 0"]);
  assertEquals(faultsOf(30, "one two", "six and seven"), []);
  assertEquals(faultsOf(31, "one two", "sixteen seven"), []);
  assertEquals(faultsOf(40, "one two.", "Six and seven"), []);
  assertEquals(faultsOf(40, "(one two.)", "Six"), []);
  assertEquals(faultsOf(60, "one `deno", "task ok` two"), []);
});

Deno.test("readBlocks() keeps directives in line comments", () => {
  const lines = [" one", " deno-lint-ignore no-explicit-any", "/ <reference />", " two"];
  const kinds = readBlocks(lines, { isLineComment: true }).map(({ kind }) => kind);
  assertEquals(kinds, ["text", "fixed", "fixed", "text"]);
});
