import { assertEquals } from "@std/assert";
import { useNodeAssert } from "./node_examples.ts";

Deno.test("useNodeAssert() replaces each import that node:assert/strict can serve", () => {
  const example = [
    ' * import { signMessage } from "@parley/comm";',
    ' * import { assert, assertEquals } from "@std/assert";',
    ' * import { assertEquals } from "@std/assert";',
    ' * import { assertEquals, assertRejects } from "@std/assert";',
  ];
  assertEquals(useNodeAssert(example.join("\n")).split("\n"), [
    example[0],
    ' * import { ok as assert, deepStrictEqual as assertEquals } from "node:assert/strict";',
    ' * import { deepStrictEqual as assertEquals } from "node:assert/strict";',
    example[3],
  ]);
});
