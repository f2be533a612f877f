import { assertEquals } from "@std/assert";
import { findFaults, formatFault, groupOf } from "./comments.ts";

const WIDE = `// ${"word ".repeat(30).trim()}\n`;

Deno.test("findFaults() names the file, the line and the fault", () => {
  const faults = findFaults([
    { path: "mcp/a.ts", source: `run();\n${WIDE}` },
    { path: "comm/b.ts", source: `run(); ${WIDE}` },
    { path: "main.ts", source: "// This line\n// is torn.\n" },
  ]);
  assertEquals(faults.map(formatFault), [
    "mcp/a.ts:2 the comment is wider than 100 columns",
    "comm/b.ts:1 the line is wider than 100 columns; move its comment to the line before",
    "main.ts:1 the comment line ends although the next word fits",
  ]);
  assertEquals(faults.map(groupOf), ["mcp, wide lines", "comm, wide lines", "root, torn lines"]);
});
