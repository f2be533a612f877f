import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../cli.ts";
import { selectChecks } from "./check_packages.ts";

Deno.test("selectChecks() returns all checks, or the named checks in their usual order", () => {
  assertEquals(selectChecks([]), ["code", "npm", "runtimes", "one-file", "workerd"]);
  assertEquals(selectChecks(["workerd", "npm"]), ["npm", "workerd"]);
  assertEquals(selectChecks(["every-node"]), ["every-node"]);
});

Deno.test("selectChecks() rejects an unknown name", () => {
  assertThrows(() => selectChecks(["bun"]), ToolError, 'Unknown check "bun"');
});
