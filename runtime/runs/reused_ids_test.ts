import { assertEquals } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { sqliteRuns } from "../sqlite.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import type { RunEngine } from "./contracts.ts";
import { memoryRuns } from "./memory.ts";
import { openRuns } from "./open_runs.ts";

const ENGINES: Readonly<Record<string, () => RunEngine>> = {
  memoryRuns: () => memoryRuns({ maxPartyRuns: 1 }),
  sqliteRuns: () => sqliteRuns(":memory:", { maxPartyRuns: 1 }),
};

const RUN = { runId: "r", agent: "a", version: "1", input: "one", party: "p" };

for (const [name, open] of Object.entries(ENGINES)) {
  for (const way of ["purge", "room"]) {
    Deno.test(`${name}: the worker of a deleted run cannot write to a run with the same id (${way})`, async () => {
      await using engine = open();
      const { journal } = engine;
      await journal.create(RUN);
      const old = (await journal.open("r"))?.run.epoch ?? NaN;
      await journal.cancel("r");
      if (way === "purge") await journal.purge(new Date(Date.now() + 60_000));
      else {
        await journal.create({ ...RUN, runId: "other" });
        await journal.cancel("other");
      }
      assertEquals(await journal.create(RUN), true);
      const epoch = (await journal.open("r"))?.run.epoch ?? NaN;
      assertEquals(epoch > old + 1, true);
      const entry = { v: 1, key: "r/0", kind: "model", value: 1, at: 1 } as const;
      assertEquals(await journal.append("r", old, entry), "fenced");
      assertEquals(await journal.close("r", old, { status: "done", result: 1 }), "fenced");
      assertEquals(await journal.append("r", epoch, entry), "stored");
    });
  }

  Deno.test(`${name}: a run is delivered although the delivery of a deleted run with its id has not ended`, async () => {
    const ending = Promise.withResolvers<void>();
    const isEnding = Promise.withResolvers<void>();
    let count = 0;
    const make = () => {
      const onTerminate = count++ > 0 ? undefined : async () => {
        isEnding.resolve();
        await ending.promise;
      };
      const model = scriptedModel([{ text: "x" }]);
      return new ToolLoopAgent({ name: "a", model, ...onTerminate && { onTerminate } });
    };
    await using runs = openRuns(open(), { a: { version: "1", make } }, { onError: () => {} });
    const working = runs.work({ concurrency: 4 });
    await runs.start({ runId: "r", agent: "a", input: "one", party: "p" });
    await isEnding.promise;
    await runs.cancel("r");
    await runs.start({ runId: "other", agent: "a", input: "two", party: "p" });
    await runs.result("other");
    assertEquals(await runs.start({ runId: "r", agent: "a", input: "three", party: "p" }), true);
    ending.resolve();
    const { status } = await runs.result("r", { signal: AbortSignal.timeout(10_000) });
    assertEquals(status, "done");
    await runs.close();
    await working;
  });

  Deno.test(`${name}: the runs of one party do not delay the runs of another party`, async () => {
    const order: string[] = [];
    const make = () => new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "x" }]) });
    const engine = name === "memoryRuns" ? memoryRuns() : sqliteRuns(":memory:");
    const append = engine.journal.open.bind(engine.journal);
    engine.journal.open = (runId) => {
      order.push(runId);
      return append(runId);
    };
    await using runs = openRuns(engine, { a: { version: "1", make } });
    for (let index = 0; index < 5; index++) {
      await runs.start({ runId: `m${index}`, agent: "a", input: "x", party: "mallory" });
    }
    await runs.start({ runId: "x", agent: "a", input: "x", party: "ann" });
    const working = runs.work({ concurrency: 1 });
    for (const runId of ["m4", "x"]) await runs.result(runId);
    assertEquals(order, ["m0", "x", "m1", "m2", "m3", "m4"]);
    await runs.close();
    await working;
  });
}
