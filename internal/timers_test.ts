import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { callInBackground, resolveWithin, sleep } from "./timers.ts";

/** Tracks whether a promise has settled. */
function watch(promise: Promise<unknown>): { isOver: boolean } {
  const state = { isOver: false };
  promise.finally(() => state.isOver = true).catch(() => {});
  return state;
}

Deno.test("sleep() waits for the given time, limited to the maximum timer delay", async () => {
  using time = new FakeTime();
  const { signal } = new AbortController();
  for (
    const [ms, waited] of [[0, 0], [500, 500], [2 ** 40, 2 ** 31 - 1], [Infinity, 2 ** 31 - 1]]
  ) {
    const asleep = watch(sleep(Number(ms), signal));
    if (Number(waited) > 0) await time.tickAsync(Number(waited) - 1);
    assertEquals(asleep.isOver, false);
    await time.tickAsync(1);
    assertEquals(asleep.isOver, true);
  }
});

Deno.test("sleep() rejects with the signal's reason, before or during the wait", async () => {
  using time = new FakeTime();
  const reason = new Error("enough");
  assertEquals(await assertRejects(() => sleep(10, AbortSignal.abort(reason))), reason);
  const controller = new AbortController();
  const asleep = sleep(10, controller.signal);
  controller.abort(reason);
  assertEquals(await assertRejects(() => asleep), reason);
  await time.tickAsync(20);
});

Deno.test("resolveWithin() resolves with the value, or with undefined after the time limit", async () => {
  using time = new FakeTime();
  assertEquals(await resolveWithin(Promise.resolve(1), 10), 1);
  await assertRejects(() => resolveWithin(Promise.reject(new Error("no")), 10), Error, "no");
  const late = resolveWithin(new Promise(() => {}), 10);
  await time.tickAsync(10);
  assertEquals(await late, undefined);
});

Deno.test("resolveWithin() accepts Infinity", async () => {
  using time = new FakeTime();
  const slow = Promise.withResolvers<string>();
  const result = resolveWithin(slow.promise, Infinity);
  await time.tickAsync(100_000);
  slow.resolve("late");
  assertEquals(await result, "late");
});

Deno.test("keepProcessRunning() keeps an idle process running until its function is called", async () => {
  const { href } = new URL("timers.ts", import.meta.url);
  const program = `
    import { keepProcessRunning } from ${JSON.stringify(href)};
    const release = keepProcessRunning();
    Deno.unrefTimer(setTimeout(() => {
      release();
      console.log("released");
    }, 100));
    await new Promise(() => {});`;
  const args = ["eval", "--no-check", program];
  const { stdout, stderr } = await new Deno.Command("deno", { args }).output();
  assertEquals(new TextDecoder().decode(stdout), "released\n");
  // Without the timer, the process would end before the text is printed.
  assertStringIncludes(new TextDecoder().decode(stderr), "Top-level await promise never resolved");
});

Deno.test("callInBackground() calls the function once, unless it is stopped before", () => {
  using time = new FakeTime();
  const calls: string[] = [];
  callInBackground(() => calls.push("called"), 10);
  const stop = callInBackground(() => calls.push("stopped"), 10);
  time.tick(9);
  assertEquals(calls, []);
  stop();
  stop();
  time.tick(1000);
  assertEquals(calls, ["called"]);
});

Deno.test("callInBackground() does not keep the process running", async () => {
  const program = `import { callInBackground } from "${new URL("timers.ts", import.meta.url)}";` +
    'callInBackground(() => console.log("called"), 60_000);';
  const args = ["eval", "--quiet", program];
  const { stdout, success } = await new Deno.Command("deno", { args }).output();
  assertEquals([success, new TextDecoder().decode(stdout)], [true, ""]);
});
