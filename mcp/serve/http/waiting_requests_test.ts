import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { type WaitingRequest, WaitingRequests } from "./waiting_requests.ts";

/** A request that records when it becomes slow, and the reasons for which it is aborted. */
class Recorder implements WaitingRequest {
  readonly slowAt: number[] = [];
  readonly reasons: unknown[] = [];

  onSlow(): void {
    this.slowAt.push(Date.now());
  }

  abort(reason: unknown): void {
    this.reasons.push(reason);
  }
}

/** Returns the number of timers that are started while `work` runs. */
function countTimers(work: () => void): number {
  const original = globalThis.setTimeout;
  let count = 0;
  const start = (...args: unknown[]): unknown => {
    count++;
    return Reflect.apply(original, globalThis, args);
  };
  Object.defineProperty(globalThis, "setTimeout", { value: start, configurable: true });
  try {
    work();
  } finally {
    const value = original;
    Object.defineProperty(globalThis, "setTimeout", { value, configurable: true, writable: true });
  }
  return count;
}

Deno.test("each waiting request becomes slow once, after its own delay", () => {
  using time = new FakeTime(0);
  const waiting = new WaitingRequests(1000);
  const requests = Array.from({ length: 4 }, () => new Recorder());
  const places = requests.map((request) => {
    const place = waiting.add(request);
    time.tick(400);
    return place;
  });
  time.tick(5000);
  assertEquals(requests.map(({ slowAt }) => slowAt), [[1000], [1400], [1800], [2200]]);
  for (const place of places) waiting.remove(place);
});

Deno.test("a request that is removed does not become slow", () => {
  using time = new FakeTime(0);
  const waiting = new WaitingRequests(1000);
  const [first, second, third] = [new Recorder(), new Recorder(), new Recorder()];
  const places = [waiting.add(first)];
  time.tick(500);
  places.push(waiting.add(second), waiting.add(third));
  for (const place of places.splice(0, 2)) waiting.remove(place);
  time.tick(5000);
  assertEquals([first, second, third].map(({ slowAt }) => slowAt), [[], [], [1500]]);
  for (const place of places) waiting.remove(place);
});

Deno.test("10,000 waiting requests share one timer, and leave no timer", () => {
  const waiting = new WaitingRequests(60_000);
  const timers = countTimers(() => {
    const places = Array.from({ length: 10_000 }, () => waiting.add(new Recorder()));
    for (const place of places) waiting.remove(place);
  });
  assertEquals(timers, 1);
});

Deno.test("a waiting request becomes slow although the clock was set back", () => {
  using time = new FakeTime(10_000_000);
  const waiting = new WaitingRequests(1000);
  const request = new Recorder();
  const place = waiting.add(request);
  const { now } = Date;
  Date.now = () => now() - 3_600_000;
  try {
    time.tick(1000);
  } finally {
    Date.now = now;
  }
  assertEquals(request.slowAt.length, 1);
  waiting.remove(place);
});

Deno.test("close() aborts all requests, even slow and later ones", () => {
  using time = new FakeTime(0);
  const waiting = new WaitingRequests(1000);
  const [slow, other, later] = [new Recorder(), new Recorder(), new Recorder()];
  waiting.add(slow);
  time.tick(1000);
  waiting.add(other);
  waiting.close();
  waiting.add(later);
  assertEquals(
    [slow, other, later].map(({ reasons }) => reasons.map(String)),
    Array(3).fill(["AbortError: The server is shutting down"]),
  );
});
