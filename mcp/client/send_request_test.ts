import { assert, assertEquals, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import { Clock } from "../shared/timeout_scheduler.ts";
import { Patience } from "./send_request.ts";

function reasonOf({ signal }: Patience): string {
  assert(signal.reason instanceof McpError);
  return signal.reason.message;
}

Deno.test("patience ends after the time-out, which a sign of life renews", () => {
  using time = new FakeTime();
  const clock = new Clock();
  const patience = new Patience({ label: "stdio", clock }, "tools/call", {
    timeoutMs: 100,
    maxTotalMs: 1000,
  });
  time.tick(99);
  patience.renew();
  time.tick(99);
  assert(!patience.signal.aborted);
  time.tick(1);
  assertEquals(
    reasonOf(patience),
    'Cannot use the stdio transport: no answer to "tools/call" within 100 ms',
  );
  patience.end();
});

Deno.test("patience ends after the total time, whatever happens", () => {
  using time = new FakeTime();
  const clock = new Clock();
  const patience = new Patience({ label: "stdio", clock }, "tools/call", {
    timeoutMs: 100,
    maxTotalMs: 150,
  });
  time.tick(99);
  patience.renew();
  time.tick(51);
  assert(reasonOf(patience).endsWith("within 150 ms"));
  patience.end();
});

Deno.test("patience ends with the caller's signal and its reason", () => {
  const controller = new AbortController();
  const clock = new Clock();
  const patience = new Patience({ label: "stdio", clock }, "tools/call", {
    signal: controller.signal,
  });
  const reason = new Error("enough");
  controller.abort(reason);
  assertEquals(patience.signal.reason, reason);
  patience.end();
  clock.stop();
});

Deno.test("patience does as a signal does, whether somebody looks at its own or not", () => {
  for (const looksFirst of [true, false]) {
    const clock = new Clock();
    const patience = new Patience({ label: "stdio", clock }, "tools/call", {});
    const heard: string[] = [];
    const leave = (): void => void heard.push("left");
    patience.addEventListener("abort", () => heard.push("stays"));
    patience.addEventListener("abort", leave);
    patience.removeEventListener("abort", leave);
    patience.throwIfAborted();
    if (looksFirst) assert(!patience.signal.aborted);
    const [first, second] = [new Error("first"), new Error("second")];
    patience.lose(first);
    patience.lose(second);
    assertEquals(heard[0], "stays");
    assert(!heard.includes("left"));
    assertEquals([patience.reason, patience.signal.reason], [first, first]);
    assertEquals(patience.signal, patience.signal);
    assertThrows(() => patience.throwIfAborted(), Error, "first");
    patience.end();
    clock.stop();
  }
});

Deno.test("patience stands still while it is held, by anybody, and begins anew then", async () => {
  using time = new FakeTime();
  const clock = new Clock();
  const patience = new Patience({ label: "stdio", clock }, "tools/call", {
    timeoutMs: 100,
    maxTotalMs: 100,
  });
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  patience.hold(first.promise);
  patience.hold(second.promise);
  time.tick(1000);
  patience.renew();
  first.reject(new Error("declined"));
  await time.tickAsync(1000);
  second.resolve();
  await time.tickAsync(99);
  assert(!patience.signal.aborted);
  await time.tickAsync(1);
  assert(patience.signal.aborted);
  patience.end();
});

Deno.test("patience that has ended is not woken by a hold", async () => {
  const held = Promise.withResolvers<void>();
  const clock = new Clock();
  const patience = new Patience({ label: "stdio", clock }, "tools/call", { timeoutMs: 1 });
  patience.hold(held.promise);
  patience.end();
  clock.stop();
  held.resolve();
  await held.promise;
  assert(!patience.signal.aborted);
});

Deno.test("patience may be endless, but not below or at nothing", () => {
  using time = new FakeTime();
  const clock = new Clock();
  const patience = new Patience({ label: "stdio", clock }, "tools/call", {
    timeoutMs: Infinity,
    maxTotalMs: Infinity,
  });
  time.tick(2 ** 33);
  assert(!patience.signal.aborted);
  patience.end();
  for (const ms of [0, -1, NaN]) {
    assertThrows(
      () => new Patience({ label: "stdio", clock }, "tools/call", { timeoutMs: ms }),
      RangeError,
    );
    assertThrows(
      () => new Patience({ label: "stdio", clock }, "tools/call", { maxTotalMs: ms }),
      RangeError,
    );
  }
});
