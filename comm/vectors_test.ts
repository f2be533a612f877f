import { assert, assertEquals } from "@std/assert";
import { findMismatch, loadSuite, type VectorRow } from "../conformance/mod.ts";
import { COMM_PART } from "../conformance/drivers/typescript/comm.ts";
import { type Fields, Handles } from "../conformance/drivers/typescript/operation.ts";
import { toErrorOutcome } from "../conformance/drivers/typescript/error_outcome.ts";

const NO_HOST = { call: () => Promise.reject(new Error("no host")), event: () => {} };

async function outcomeOf(op: string, { input }: VectorRow): Promise<Fields> {
  const run = Object.hasOwn(COMM_PART.ops, op) ? COMM_PART.ops[op] : undefined;
  assert(run !== undefined, `the driver does not implement ${op}`);
  const { signal } = new AbortController();
  try {
    const call = { args: input, on: undefined, signal, handles: new Handles(), host: NO_HOST };
    return { ok: await run(call) ?? {} };
  } catch (error) {
    return toErrorOutcome(error);
  }
}

for (const each of loadSuite().values()) {
  if (each.kind !== "vector" || !each.id.startsWith("comm/")) continue;
  Deno.test(`comm passes ${each.id}: ${each.title}`, async () => {
    for (const row of each.rows) {
      const outcome = await outcomeOf(each.op, row);
      assertEquals(findMismatch(row.expect, outcome), undefined, row.name);
    }
  });
}
