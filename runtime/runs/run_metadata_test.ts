import { toMetadata } from "../shared/run_metadata.ts";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryRuns, openRuns, type RunContext } from "../runs.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { scriptedModel } from "../testing.ts";

const START = { runId: "r1", agent: "clerk", input: "Go" };

/** Opens runs, and returns what the agents are created with. */
function open() {
  const made: RunContext[] = [];
  const make = (run: RunContext): ToolLoopAgent => {
    made.push(run);
    return new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Done" }]) });
  };
  return { made, runs: openRuns(memoryRuns(), { clerk: { version: "1", make } }) };
}

Deno.test("AgentVersion.make() receives the id, the party and the metadata of the run", async () => {
  const { made, runs } = open();
  const metadata = { user: "ann", scopes: ["read"] };
  await runs.start({ ...START, metadata, party: "did:web:ann.example" });
  // The run has a copy.
  metadata.scopes.push("write");
  await runs.start({ ...START, runId: "r2" });
  const working = runs.work({ concurrency: 1 });
  for (const runId of ["r1", "r2"]) assertEquals((await runs.result(runId)).status, "done");
  assertEquals(made, [
    {
      runId: "r1",
      party: "did:web:ann.example",
      metadata: { user: "ann", scopes: ["read"] },
    },
    { runId: "r2", metadata: {} },
  ]);
  assertEquals((await runs.get("r1"))?.metadata, { user: "ann", scopes: ["read"] });
  assertEquals(Object.hasOwn((await runs.get("r2")) ?? {}, "metadata"), false);
  await runs.close();
  await working;
});

Deno.test("start() rejects a run with the same id and other metadata", async () => {
  const { runs } = open();
  await runs.start({ ...START, metadata: { a: 1, b: 2 } });
  assertEquals(await runs.start({ ...START, metadata: { b: 2, a: 1 } }), false);
  for (const metadata of [{ a: 1 }, { a: 1, b: 3 }, { a: 1, b: 2, c: null }, undefined]) {
    const start = () => runs.start({ ...START, ...metadata && { metadata } });
    const error = await assertRejects(
      start,
      AgentError,
      "different agent, message, budget or metadata",
    );
    assertEquals(error.code, "run_conflict");
  }
  await runs.start({ ...START, runId: "r2" });
  assertEquals(await runs.start({ ...START, runId: "r2", metadata: {} }), false);
  await assertRejects(() => runs.start({ ...START, runId: "r2", metadata: { a: 1 } }), AgentError);
  await runs.close();
});

Deno.test("toMetadata() copies a JSON object", () => {
  const value = { text: "é\u0000", list: [1, [null, true]], "": {}, constructor: "x" };
  const copy = toMetadata(value);
  assertEquals(copy, { text: "é\u0000", list: [1, [null, true]], "": {}, constructor: "x" });
  assertEquals(copy === value, false);
  assertEquals(toMetadata(Object.assign(Object.create(null), { a: 1 })), { a: 1 });
  assertEquals(Object.is(toMetadata({ zero: -0 }).zero, 0), true);
  assertEquals(toMetadata(nested(199)), nested(199));
});

Deno.test("toMetadata() rejects what JSON omits, changes or computes, without calling it", () => {
  const getter = (): never => {
    throw new Error("a getter was called");
  };
  const hole = [1, 2];
  delete hole[0];
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const invalid: readonly unknown[] = [
    null,
    "text",
    [1],
    new Date(0),
    new Map(),
    { a: undefined },
    { a: () => 1 },
    { a: NaN },
    { a: 1n },
    { a: new Uint8Array(1) },
    { a: hole },
    { a: Object.assign([1], { more: 2 }) },
    { [Symbol("a")]: 1 },
    JSON.parse('{"__proto__":{"admin":true}}'),
    JSON.parse('{"a":[{"__proto__":1}]}'),
    Object.defineProperty({}, "a", { get: getter, enumerable: true }),
    { a: Object.defineProperty([1], "0", { get: getter, enumerable: true }) },
    Object.defineProperty({}, "a", { value: 1, enumerable: false }),
    Object.create({ inherited: 1 }),
    proxy,
    cycle,
    nested(201),
  ];
  for (const value of invalid) {
    assertThrows(
      () => toMetadata(value),
      TypeError,
      '"metadata" must be a JSON object without getters and without "__proto__", got ',
    );
  }
});

Deno.test("toMetadata() limits the metadata to 65,536 bytes of UTF-8 JSON", () => {
  // The JSON text {"a":"..."} has 8 bytes more than the string.
  assertEquals(toMetadata({ a: "é".repeat(32_764) }), { a: "é".repeat(32_764) });
  assertThrows(
    () => toMetadata({ a: `${"é".repeat(32_764)}x` }),
    RangeError,
    '"metadata" must have at most 65536 bytes, got 65537',
  );
});

/** Returns an object that is nested to a depth. */
function nested(depth: number): JsonObject {
  let value: JsonObject = { end: 1 };
  for (let level = 1; level < depth; level++) value = { next: value };
  return value;
}
