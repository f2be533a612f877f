import { assert, assertEquals } from "@std/assert";
import { assembleProgram } from "./assemble_program.ts";
import { COMM_PART } from "./comm.ts";
import { createProgram } from "./create_program.ts";
import { createMcpPart } from "./mcp.ts";
import { MODEL_PART } from "./model_part.ts";
import { RUNTIME_PART } from "./runtime_part.ts";

const PARTS = { comm: COMM_PART, runtime: RUNTIME_PART, mcp: createMcpPart({}), model: MODEL_PART };
/** Features that are named after extensions, and names for agents. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  mcp: ["tasks", "skills", "ui"].map((name) => `io.modelcontextprotocol/${name}`),
  model: ["agent.run", "agent.stream"],
};

for (const [library, part] of Object.entries(PARTS)) {
  Deno.test(`the driver for ${library} has the operations and features of ${library} only`, () => {
    const { ops, features = {} } = assembleProgram(part);
    const names = [...Object.keys(ops), ...Object.keys(features)];
    assert(names.length > 4);
    const others = names.filter((name) => !name.startsWith(`${library}.`));
    assertEquals(others, OTHERS[library] ?? []);
  });
}

Deno.test("the driver for all libraries has everything that the other drivers have", () => {
  const { ops, features, transports } = createProgram();
  const parts = Object.values(PARTS);
  assertEquals(Object.keys(ops).sort(), parts.flatMap((part) => Object.keys(part.ops)).sort());
  assertEquals(
    Object.keys(features ?? {}).sort(),
    parts.flatMap((part) => Object.keys(part.features)).sort(),
  );
  assertEquals(transports, ["http"]);
});
