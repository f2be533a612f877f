import { assertEquals, assertRejects } from "@std/assert";
import { AgentError } from "../shared/error.ts";
import { forwardLock, type StepRunner } from "./step_runner.ts";

/** A step runner with a lock that the types do not permit. */
function runnerWith(lock: (key: string, work: () => Promise<unknown>) => unknown): StepRunner {
  return { run: (_key, _kind, step) => step(), lock: lock as never };
}

/** Calls the forwarded lock of a step runner. Returns its result and the number of executions. */
async function callLock(
  inner: StepRunner,
  work: () => Promise<unknown> = () => Promise.resolve("done"),
): Promise<readonly [unknown, number]> {
  let executions = 0;
  const result = await forwardLock(inner).lock?.("key", () => {
    executions++;
    return work();
  }).catch((error: unknown) => error);
  return [result, executions];
}

Deno.test("forwardLock() returns no lock for a step runner without a lock", () => {
  assertEquals(forwardLock({ run: (_key, _kind, step) => step() }), {});
});

Deno.test("forwardLock() executes the work in the lock of the step runner, and returns its value", async () => {
  const events: string[] = [];
  const inner = runnerWith(async (key, work) => {
    events.push(`lock ${key}`);
    await work();
    events.push("unlock");
    return "another value";
  });
  const work = () => {
    events.push("work");
    return Promise.resolve("done");
  };
  assertEquals(await callLock(inner, work), ["done", 1]);
  assertEquals(events, ["lock key", "work", "unlock"]);
});

Deno.test("forwardLock() calls the lock as a method of the step runner", async () => {
  class Runner implements StepRunner {
    readonly #keys: string[] = [];
    run: StepRunner["run"] = (_key, _kind, step) => step();

    async lock<T>(key: string, work: () => Promise<T>): Promise<T> {
      this.#keys.push(key);
      return await work();
    }
  }
  assertEquals(await callLock(new Runner()), ["done", 1]);
});

const FAILURE = new Error("no disk");

Deno.test("forwardLock() rejects and executes nothing if the lock fails before the work", async () => {
  const throwing = (): never => {
    throw FAILURE;
  };
  for (const lock of [throwing, () => Promise.reject(FAILURE)]) {
    assertEquals(await callLock(runnerWith(lock)), [FAILURE, 0]);
  }
  for (const result of [undefined, null, true, 1, "done", {}]) {
    for (const lock of [() => result, () => Promise.resolve(result)]) {
      const [error, executions] = await callLock(runnerWith(lock));
      assertEquals([error instanceof AgentError && error.message, executions], [
        'Cannot continue the run: "lock" of the step runner ended before "key"',
        0,
      ]);
    }
  }
});

Deno.test("forwardLock() rejects if the lock ends before the work or hides its error", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const early = runnerWith((_key, work) => void work());
  const [error, executions] = await callLock(early, () => promise);
  assertEquals([error instanceof AgentError, executions], [true, 1]);
  resolve("late");
  const hiding = runnerWith((_key, work) => work().catch(() => "done"));
  const [hidden] = await callLock(hiding, () => Promise.reject(FAILURE));
  assertEquals(hidden instanceof AgentError, true);
  const failing = runnerWith((_key, work) => work());
  const { lock = () => Promise.resolve() } = forwardLock(failing);
  await assertRejects(() => lock("key", () => Promise.reject(FAILURE)), Error, "no disk");
});
