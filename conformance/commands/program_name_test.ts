import { assertEquals } from "@std/assert";
import { programName } from "./program_name.ts";

const INSTALLED = "file:///x/node_modules/@parley/conformance/commands/program_name.js";
const NPX = "npx -y -p @parley/conformance parley-kit";

Deno.test("programName() returns a command that works in the user's shell", () => {
  const table: readonly (readonly [string, Record<string, string>, string])[] = [
    [INSTALLED, { npm_command: "exec" }, NPX],
    [INSTALLED, { npm_command: "run-script" }, NPX],
    [INSTALLED, {}, "parley-kit"],
    ["file:///repository/conformance/commands/x.ts", { npm_command: "exec" }, "parley-kit"],
    [
      "https://jsr.io/@parley/conformance/0.1.0/commands/program_name.ts",
      {},
      "deno run -A jsr:@parley/conformance/cli",
    ],
  ];
  for (const [url, env, expected] of table) assertEquals(programName(env, url), expected);
});
