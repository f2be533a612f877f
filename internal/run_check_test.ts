import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { type OpenCheck, runCheck } from "./run_check.ts";

/** Creates a check that records the calls of its functions. */
function createCheck(calls: string[], part: Partial<OpenCheck<string>> = {}): OpenCheck<string> {
  return {
    name: "a thing works",
    options: {},
    open: () => {
      calls.push("open");
      return "thing";
    },
    check: (object) => {
      calls.push(`check ${object}`);
      return Promise.resolve();
    },
    close: (object) => {
      calls.push(`close ${object}`);
      return Promise.resolve();
    },
    ...part,
  };
}

function never(): Promise<never> {
  return new Promise(() => {});
}

Deno.test("runCheck() opens, checks and closes an object, and leaves no timer", async () => {
  const calls: string[] = [];
  await runCheck(createCheck(calls));
  assertEquals(calls, ["open", "check thing", "close thing"]);
});

Deno.test("runCheck() closes the object of a check that fails", async () => {
  const calls: string[] = [];
  const check = createCheck(calls, { check: () => Promise.reject(new Error("is broken")) });
  await assertRejects(() => runCheck(check), Error, "is broken");
  assertEquals(calls, ["open", "close thing"]);
});

Deno.test("runCheck() fails after the time limit, also if closing never finishes", async () => {
  using time = new FakeTime();
  for (const options of [{}, { timeoutMs: 5 }, { timeoutMs: Infinity }]) {
    const timeoutMs = options.timeoutMs ?? 30_000;
    for (const part of [{ check: never }, { close: never }, { check: never, close: never }]) {
      const calls: string[] = [];
      let isSettled = false;
      const running = runCheck(createCheck(calls, { ...part, options }));
      const failing = assertRejects(() => running, Error, "a thing works: the check took longer")
        .finally(() => isSettled = true);
      await time.tickAsync(0);
      await time.tickAsync(Math.min(timeoutMs, 2 ** 31 - 1) - 1);
      assertEquals([isSettled, calls.includes("close thing")], [false, false]);
      await time.tickAsync(1);
      await time.tickAsync(1000);
      assertEquals(calls.includes("close thing"), !("close" in part));
      assertEquals((await failing).message.endsWith(`than ${timeoutMs} ms`), true);
    }
  }
});

Deno.test("runCheck() rejects invalid options before it opens an object", async () => {
  for (const timeoutMs of [0, -1, NaN]) {
    const calls: string[] = [];
    const check = createCheck(calls, { options: { timeoutMs } });
    await assertRejects(() => runCheck(check), RangeError, '"timeoutMs"');
    assertEquals(calls, []);
  }
  // @ts-expect-error an option that does not exist
  const check = createCheck([], { options: { timeout: 5 } });
  await assertRejects(() => runCheck(check), TypeError, "timeoutMs");
});
