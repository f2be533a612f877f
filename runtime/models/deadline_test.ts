import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Deadline } from "./deadline.ts";

Deno.test("Deadline aborts when the timeout expires, and not before", () => {
  using time = new FakeTime();
  const deadline = new Deadline(1000);
  time.tick(999);
  assertEquals([deadline.isExpired, deadline.signal.aborted], [false, false]);
  time.tick(1);
  assertEquals([deadline.isExpired, deadline.signal.aborted], [true, true]);
  assert(deadline.signal.reason instanceof DOMException);
  deadline.close();
});

Deno.test("Deadline aborts with the caller's reason, also if the signal is already aborted", () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  const before = new Deadline(1000, controller.signal);
  controller.abort(reason);
  const after = new Deadline(1000, controller.signal);
  for (const deadline of [before, after]) {
    assertEquals([deadline.isExpired, deadline.signal.reason], [false, reason]);
    deadline.close();
  }
});

Deno.test("Deadline does not abort after close()", () => {
  using time = new FakeTime();
  const controller = new AbortController();
  const deadline = new Deadline(1000, controller.signal);
  deadline.close();
  deadline.close();
  controller.abort();
  time.tick(2000);
  assertEquals([deadline.isExpired, deadline.signal.aborted], [false, false]);
});

Deno.test("Deadline.race() settles like the promise, or rejects with the reason if aborted first", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  const deadline = new Deadline(1000, controller.signal);
  assertEquals(await deadline.race(Promise.resolve(5)), 5);
  await assertRejects(() => deadline.race(Promise.reject(new Error("broken"))), Error, "broken");
  const waiting = deadline.race(new Promise(() => {}));
  controller.abort(reason);
  assertEquals(await assertRejects(() => waiting), reason);
  assertEquals(await assertRejects(() => deadline.race(new Promise(() => {}))), reason);
  deadline.close();
});
