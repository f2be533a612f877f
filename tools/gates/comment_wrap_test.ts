import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { findCommentFaults, MAX_COLUMNS, wrapComments } from "./comment_wrap.ts";
import { codeOf } from "./lexer.ts";
import { propertyRuns } from "../testing/property.ts";

/** Text of 90 characters, without a space at the end. */
const LONG = "word ".repeat(18).trim();

Deno.test("wrapComments() wraps doc comments and line comments at 100 columns", () => {
  const source = `/** ${LONG} four words at the end. */
const a = 1;

  /**
   * ${LONG} four words at the end.
   */
  // ${LONG} four words at the end.
  const b = 2;
`;
  assertEquals(
    wrapComments(source),
    `/**
 * ${LONG} four
 * words at the end.
 */
const a = 1;

  /**
   * ${LONG} four
   * words at the end.
   */
  // ${LONG} four
  // words at the end.
  const b = 2;
`,
  );
});

Deno.test("wrapComments() joins torn lines, and puts a comment that fits on one line", () => {
  const source = "/**\n * This line\n * is torn.\n */\n// This line\n// is torn\n// too.\nrun();\n";
  assertEquals(
    wrapComments(source),
    "/** This line is torn. */\n// This line is torn too.\nrun();\n",
  );
});

Deno.test("wrapComments() changes only the paragraphs that have a fault", () => {
  const source = `/**
 * Short.
 * Also short.
 *
 * ${LONG} four words at the end.
 */
`;
  assertEquals(
    wrapComments(source),
    `/**
 * Short.
 * Also short.
 *
 * ${LONG} four
 * words at the end.
 */
`,
  );
});

Deno.test("wrapComments() does not change code, strings, comments after code and unusual comments", () => {
  const table = [
    `const a = "// ${LONG} four words at the end.";\n`,
    `const a = \`\n// ${LONG} four words at the end.\n\`;\n`,
    `run(); // ${LONG} four words at the end.\n`,
    `/* ${LONG} four words at the end. */\n`,
    `/** ${LONG} four words at the end. */ run();\n`,
    `/** One\n * ${LONG} four words at the end. */\n`,
    `/**\n   ${LONG} four words at the end.\n */\n`,
    `/**\n * \`\`\`ts\n * ${LONG} four words at the end.\n * \`\`\`\n */\n`,
    `// deno-lint-ignore ${LONG} four words at the end.\nrun();\n`,
    `// one\n\n// two\nrun();\n  // three\n`,
  ];
  for (const source of table) assertEquals(wrapComments(source), source);
});

Deno.test("findCommentFaults() returns the lines of the faults", () => {
  const source = `/**
 * ${LONG} four words at the end.
 *
 * One
 * two.
 */
const a = 1; // ${LONG} four words.
// ${LONG} four words at the end.

// One
// two
run();
/** ${LONG} four words at the end. */
`;
  assertEquals(findCommentFaults(source).map(({ kind, line }) => `${line} ${kind}`), [
    "2 wide",
    "4 torn",
    "7 after_code",
    "8 wide",
    "10 torn",
    "13 wide",
  ]);
});

Deno.test("findCommentFaults() counts the delimiters of a doc comment on one line", () => {
  const text = "x ".repeat(46).trim();
  assertEquals(findCommentFaults(`/** ${text}yy */\n`), []);
  assertEquals(`/** ${text}yy */`.length, MAX_COLUMNS);
  assertEquals(findCommentFaults(`/** ${text}yyy */\n`), [{ kind: "wide", line: 1 }]);
});

/** Returns the words of the comments and the code between them. */
function wordsOf(source: string): string[] {
  return source.replace(/^\s*\/\*\*|^\s*\*\/|\*\/$|^\s*\*|^\s*\/\//gm, " ").split(/\s+/)
    .filter((word) => word !== "");
}

const WORD = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[a-zA-Z,;()'"]{1,9}$/) },
  { weight: 2, arbitrary: fc.stringMatching(/^[a-z]{1,9}[.:?!]$/) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "-",
      "*",
      "+",
      "1.",
      "12)",
      "#",
      "##",
      "@see",
      "@example",
      "@param",
      "|",
      ">",
      "```",
      "```ts",
      "~~~",
      "`",
      "`a",
      "b`",
      "`c d`",
      "{@link",
      "x}",
      "{@linkcode a}",
      "[a]:",
      "[a",
      "b]:",
      "<!--",
      "deno-lint-ignore",
      "@ts-check",
      "eslint",
      "https://example.com/" + "a/".repeat(50),
      "é",
      "😀",
    ),
  },
);
const LINE = fc.tuple(
  fc.constantFrom("", "", "", "", "", "- ", "  ", "    ", "1. ", "@throws ", "| "),
  fc.array(WORD, { maxLength: 40 }),
).map(([start, words]) => `${start}${words.join(" ")}`.trimEnd());

const COMMENT = fc.tuple(
  fc.constantFrom("", "  ", "      "),
  fc.constantFrom("/**", "//", "one"),
  fc.array(LINE, { minLength: 1, maxLength: 8 }),
).map(([indent, form, lines]) => {
  const text = (line: string) => line === "" ? "" : ` ${line}`;
  if (form === "one") return `${indent}/** ${lines.join("").trim() || "one"} */`;
  if (form === "//") return lines.map((line) => `${indent}//${text(line)}`).join("\n");
  return [`${indent}/**`, ...lines.map((line) => `${indent} *${text(line)}`), `${indent} */`]
    .join("\n");
});
const SOURCE = fc.array(COMMENT, { minLength: 1, maxLength: 3 })
  .map((comments) => comments.map((comment) => `${comment}\nrun();\n`).join("\n"));

Deno.test("wrapComments() keeps the words, their order and the code", () => {
  fc.assert(
    fc.property(SOURCE, (source) => {
      const wrapped = wrapComments(source);
      assertEquals(wordsOf(wrapped), wordsOf(source));
      assertEquals(codeOf(wrapped).replace(/\s+/g, ""), codeOf(source).replace(/\s+/g, ""));
    }),
    propertyRuns(300),
  );
});

Deno.test("wrapComments() leaves no fault, and does not change its own result", () => {
  fc.assert(
    fc.property(SOURCE, (source) => {
      const wrapped = wrapComments(source);
      assertEquals(findCommentFaults(wrapped), []);
      assertEquals(wrapComments(wrapped), wrapped);
    }),
    propertyRuns(300),
  );
});

Deno.test("wrapComments() keeps the lines of examples and code", () => {
  fc.assert(
    fc.property(fc.array(LINE, { maxLength: 6 }), (lines) => {
      const code = lines.filter((line) => !/^\s*```/.test(line));
      const block = ["/**", " * ```ts", ...code.map((line) => ` * ${line}`), " * ```", " */"];
      const source = `${block.join("\n")}\n`;
      assertEquals(wrapComments(source), source);
    }),
    propertyRuns(300),
  );
});

Deno.test("wrapComments() wraps at 100 columns every line that can be divided", () => {
  const plain = fc.array(fc.stringMatching(/^[a-z]{1,20}$/), { minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(plain, (words) => {
      const wrapped = wrapComments(`  /** ${words.join(" ")} */\n`);
      assert(wrapped.split("\n").every((line) => line.length <= MAX_COLUMNS));
    }),
    propertyRuns(300),
  );
});
