import { assertEquals } from "@std/assert";
import { readProse } from "./prose.ts";

function read(path: string, source: string): (readonly [string, number, string])[] {
  return readProse(path, source).map(({ kind, line, text }) => [kind, line, text]);
}

Deno.test("readProse() reads doc comments by paragraph, tag and sentence, without code", () => {
  const source = `/**
 * Reads a file. The text is UTF-8,
 * e.g. a page of Markdown. \`a. B\` is code.
 *
 * - first item of a list
 *
 * @param path path of the file
 * @see the specification of files
 * @example Read a page
 * \`\`\`ts
 * // not prose at all
 * \`\`\`
 */
export const text = 1;`;
  assertEquals(read("a.ts", source), [
    ["doc", 2, "Reads a file."],
    ["doc", 2, "The text is UTF-8, e.g. a page of Markdown."],
    ["doc", 3, "`a. B` is code."],
    ["doc", 5, "first item of a list"],
    ["doc", 7, "path of the file"],
    ["doc", 9, "Read a page"],
  ]);
  assertEquals(readProse("a.ts", source).map(({ isSummary }) => isSummary).indexOf(true), 0);
  assertEquals(readProse("a.ts", source).filter(({ isSummary }) => isSummary).length, 1);
});

Deno.test("readProse() joins line comments and omits directives", () => {
  const source = `let a; // about this line
// The first half
// and the second half.
// deno-lint-ignore no-console
x();`;
  assertEquals(read("a.ts", source).map(([kind, line]) => [kind, line]), [["comment", 1]]);
  assertEquals(read("a.ts", `x();\n\n// The first half\n// of it. Another one here.`), [
    ["comment", 3, "The first half of it."],
    ["comment", 4, "Another one here."],
  ]);
});

Deno.test("readProse() reads texts in strings by kind, and joins templates", () => {
  const source = `throw new TypeError(\`Cannot use \${name} for \${"a"} now\`);
print("three words here");
const path = "./a/b.ts", code = "a => b + c", one = "word";`;
  assertEquals(read("a.ts", source), [
    ["error", 1, "Cannot use … for … now"],
    ["text", 2, "three words here"],
  ]);
});

Deno.test("readProse() reads only test names and comments in test files", () => {
  const source = `Deno.test("x() does a thing", () => {
  // Why this matters here.
  f("data that is not read");
});`;
  assertEquals(read("a_test.ts", source), [
    ["comment", 2, "Why this matters here."],
    ["test", 1, "x() does a thing"],
  ]);
});

Deno.test("readProse() reads Markdown without code, links and comments", () => {
  const source = `# One good title

A paragraph with [a link](https://example.com/a.b). It has two
sentences.

<!-- nobody reads this -->

| first cell here | second cell here |

\`\`\`ts
// code
\`\`\`
`;
  assertEquals(read("a.md", source), [
    ["markdown", 1, "One good title"],
    ["markdown", 3, "A paragraph with [a link]."],
    ["markdown", 3, "It has two sentences."],
    ["markdown", 8, "first cell here"],
    ["markdown", 8, "second cell here"],
  ]);
});

Deno.test("readProse() reads titles and reasons of JSON data", () => {
  const source = `{
  "id": "a b c d",
  "title": "A server rejects \\"x\\" early",
  "why": "Two words"
}`;
  assertEquals(read("a.json", source), [["data", 3, 'A server rejects "x" early']]);
});

Deno.test("readProse() reads comments of YAML, Python and shell", () => {
  const source = `#!/bin/sh -e -x -y
# The first line
# of a comment.
run`;
  assertEquals(read(".ci/run", source), [["comment", 2, "The first line of a comment."]]);
});
