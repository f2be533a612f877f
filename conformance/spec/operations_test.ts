import { assertEquals, assertThrows } from "@std/assert";
import { neededOps } from "../runner/driver_executor.ts";
import { loadSuite } from "../suite.ts";
import operations from "./operations.json" with { type: "json" };
import { parseOperations } from "./operations.ts";

const TABLE = `Text

| op                        | args      | ok             |
| ------------------------- | --------- | -------------- |
| \`comm.a.new\`              | \`x\`, \`y\`? | \`handle\`       |
| \`comm.a.one\` \`.two\` on an a |           | \`first\` · null |
| \`comm.a.three\` \`comm.a.four\` on an a | \`z\` | |

| name | meaning |
| ---- | ------- |
| \`x\`  | y       |
`;

Deno.test("parseOperations() reads the name, the object, the arguments and the result of each operation", () => {
  assertEquals(parseOperations(TABLE), [
    { op: "comm.a.new", args: "`x`, `y`?", ok: "`handle`" },
    { op: "comm.a.one", on: "an a", ok: "`first`" },
    { op: "comm.a.two", on: "an a", ok: "null" },
    { op: "comm.a.three", on: "an a", args: "`z`" },
    { op: "comm.a.four", on: "an a", args: "`z`" },
  ]);
});

Deno.test("parseOperations() rejects a row without a name or a column", () => {
  for (const row of ["| name | args | ok |", "| `comm.a` | args |"]) {
    const text = `| op | args | ok |\n|---|---|---|\n${row}\n`;
    assertThrows(() => parseOperations(text), SyntaxError, "Cannot parse the operation");
  }
});

Deno.test("PROTOCOL.md describes every operation that a case needs", () => {
  const known = new Set(operations.map(({ op }) => op));
  const needed = new Set([...loadSuite().values()].flatMap(neededOps));
  assertEquals([...needed].filter((op) => !known.has(op)), []);
});
