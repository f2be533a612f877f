import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { ElicitRequest } from "../protocol/input_request.ts";
import { TaskRun } from "./task_run.ts";
import { memoryTaskStore } from "./memory_task_store.ts";
import type { TaskRecord } from "./task_store.ts";
import { override } from "./testdata/jobs.ts";
import { isTerminal, TRANSITIONS } from "./task.ts";

const QUESTION: ElicitRequest = {
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object" } },
};

function newRecord(): TaskRecord {
  const at = new Date(0).toISOString();
  const task = {
    taskId: "t",
    createdAt: at,
    lastUpdatedAt: at,
    ttlMs: 1,
    status: "working",
  } as const;
  return { task, expiresAt: Number.MAX_SAFE_INTEGER, epoch: 0 };
}

const STEPS = ["ask", "answer", "tell", "cancel", "complete", "fail", "ring"] as const;

async function take(run: TaskRun, step: typeof STEPS[number], asked: readonly string[]) {
  switch (step) {
    case "ask":
      run.ask("key", QUESTION).catch(() => {});
      return await Promise.resolve();
    case "answer":
      return await run.acceptInputs(
        Object.fromEntries(asked.map((key) => [key, { action: "cancel" }])),
      );
    case "tell":
      return await run.setStatusMessage("going on");
    case "cancel":
      return await run.cancel();
    case "complete":
      return await run.complete({ content: [] });
    case "fail":
      return await run.fail(new Error("no luck"));
    case "ring":
      return run.fire();
    default:
      return step satisfies never;
  }
}

Deno.test("TaskRun permits only the status changes in TRANSITIONS and uses each input request key only once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { maxLength: 12 }), async (steps) => {
      const memory = memoryTaskStore();
      const seen: TaskRecord[] = [];
      const store = override(memory, {
        set: async (record, options) => {
          const isStored = await memory.set(record, options);
          seen.push(record);
          return isStored;
        },
      });
      const answered = new Set<string>();
      const run = new TaskRun(newRecord(), {
        client: { protocolVersion: "2026-07-28", capabilities: { elicitation: {} } },
        store,
        leaseMs: 60_000,
        onError: () => {},
      });
      await run.open();
      for (const step of steps) {
        const task = seen.at(-1)?.task;
        const asked = task?.status === "input_required" ? Object.keys(task.inputRequests) : [];
        assert(asked.every((key) => !answered.has(key)));
        await take(run, step, asked);
        if (step === "answer") { for (const key of asked) answered.add(key); }
        // A record is stored a few microtasks after its change, because earlier records must be
        // stored first.
        for (let turn = 0; turn < 8; turn++) await Promise.resolve();
      }
      for (const [index, { task }] of seen.entries()) {
        const next = seen[index + 1]?.task.status;
        assert(next === undefined || TRANSITIONS[task.status].includes(next));
      }
      assertEquals(await store.get("t").then((kept) => kept?.task), seen.at(-1)?.task);
      const last = seen.at(-1)?.task.status ?? "working";
      const mayEnd = steps.some((step) => ["cancel", "complete", "fail", "ring"].includes(step));
      assertEquals(isTerminal(last), mayEnd);
    }),
    propertyRuns(100),
  );
});
