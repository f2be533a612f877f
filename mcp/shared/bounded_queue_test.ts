import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { forEach, Queue } from "./bounded_queue.ts";

Deno.test("Queue yields items in order and ends", async () => {
  const queue = new Queue<number>();
  queue.tryPush(1);
  queue.tryPush(2);
  queue.end();
  assertEquals(await Array.fromAsync(queue), [1, 2]);
  assertEquals(queue.isEnded, true);
});

Deno.test("Queue resolves a pending next()", async () => {
  const queue = new Queue<string>();
  const all = Array.fromAsync(queue);
  queue.tryPush("a");
  await Promise.resolve();
  queue.tryPush("b");
  queue.end();
  assertEquals(await all, ["a", "b"]);
});

Deno.test("Queue throws its error after the last item", async () => {
  const queue = new Queue<number>();
  queue.tryPush(1);
  queue.end(new Error("broken"));
  const iterator = queue[Symbol.asyncIterator]();
  assertEquals(await iterator.next(), { done: false, value: 1 });
  await assertRejects(() => iterator.next(), Error, "broken");
});

Deno.test("Queue resolves several pending next() calls in order, then ends all of them", async () => {
  for (const error of [undefined, new Error("broken")]) {
    const queue = new Queue<number>();
    const consumer = queue[Symbol.asyncIterator]();
    const results = [1, 2, 3, 4].map(() => consumer.next().then(({ value }) => value, String));
    queue.tryPush(1);
    queue.tryPush(2);
    queue.end(error);
    const end = error && "Error: broken";
    assertEquals(await Promise.all(results), [1, 2, end, end]);
    assertEquals(await consumer.next(), { done: true, value: undefined });
  }
});

Deno.test("Queue continues with another consumer after one has stopped", async () => {
  const queue = new Queue<number>();
  for (const item of [1, 2, 3]) queue.tryPush(item);
  for await (const item of queue) if (item === 2) break;
  queue.end();
  assertEquals(await Array.fromAsync(queue), [3]);
});

Deno.test("Queue.push() waits for capacity", async () => {
  const queue = new Queue<number>({ capacity: 1 });
  const iterator = queue[Symbol.asyncIterator]();
  let isTaken = false;
  assertEquals(await queue.push(1), true);
  const second = queue.push(2).then(() => isTaken = true);
  await Promise.resolve();
  assertEquals(isTaken, false);
  assertEquals((await iterator.next()).value, 1);
  await second;
  assertEquals((await iterator.next()).value, 2);
});

Deno.test("Queue.push() drops an item if maxHeld calls are already pending", async () => {
  const queue = new Queue<number>({ capacity: 1 });
  const taken = Promise.all([queue.push(1), queue.push(2), queue.push(3)]);
  assertEquals(queue.tryPush(4), false);
  queue.end();
  assertEquals(await taken, [true, false, false]);
  assertEquals(await Array.fromAsync(queue), [1]);
});

Deno.test("Queue drops items added after end() and ignores a second call to end()", async () => {
  const queue = new Queue<number>();
  queue.end();
  queue.end(new Error("late"));
  assertEquals([queue.tryPush(1), await queue.push(1)], [false, false]);
  assertEquals(await Array.fromAsync(queue), []);
});

Deno.test("Queue throws for an invalid capacity", () => {
  for (const capacity of [0, -1, 1.5, NaN]) assertThrows(() => new Queue({ capacity }), RangeError);
});

Deno.test("Queue returns the same results as an array with a maximum length", async () => {
  const step = fc.oneof(fc.nat(), fc.constant("take" as const));
  await fc.assert(
    fc.asyncProperty(fc.array(step), fc.integer({ min: 1, max: 5 }), async (steps, capacity) => {
      const queue = new Queue<number>({ capacity });
      const iterator = queue[Symbol.asyncIterator]();
      const model: number[] = [];
      for (const each of steps) {
        if (each === "take") {
          if (model.length > 0) assertEquals((await iterator.next()).value, model.shift());
        } else {
          assertEquals(queue.tryPush(each), model.length < capacity);
          if (model.length < capacity) model.push(each);
        }
      }
    }),
    propertyRuns(100),
  );
});

/** Returns the queue, and an async iterable that is not a `Queue` but yields the same items. */
function bothWays(queue: Queue<number>): readonly AsyncIterable<number>[] {
  return [queue, { [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator]() }];
}

Deno.test("forEach() delivers queued and later items until the end", async () => {
  for (const way of [0, 1]) {
    const queue = new Queue<number>();
    const items = bothWays(queue)[way] ?? queue;
    queue.tryPush(1);
    const seen: number[] = [];
    const second = Promise.withResolvers<void>();
    const done = forEach(items, (item) => {
      seen.push(item);
      if (item === 2) second.resolve();
      return undefined;
    });
    queue.tryPush(2);
    assertEquals(seen, [], "push() does not call the sink synchronously");
    await second.promise;
    assertEquals(seen, [1, 2]);
    queue.tryPush(3);
    queue.end();
    await done;
    assertEquals(seen, [1, 2, 3]);
  }
});

Deno.test("forEach() waits for the sink and applies backpressure", async () => {
  for (const way of [0, 1]) {
    const queue = new Queue<number>({ capacity: 1 });
    const items = bothWays(queue)[way] ?? queue;
    const [begun, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const seen: number[] = [];
    const done = forEach(items, (item) => {
      seen.push(item);
      if (item !== 1) return undefined;
      begun.resolve();
      return free.promise;
    });
    assertEquals(await queue.push(1), true);
    await begun.promise;
    assertEquals([queue.tryPush(2), queue.tryPush(3)], [true, false]);
    const third = queue.push(3);
    assertEquals(seen, [1]);
    free.resolve();
    assertEquals(await third, true);
    queue.end();
    await done;
    assertEquals(seen, [1, 2, 3]);
  }
});

Deno.test("forEach() yields to other microtasks while many items are queued", async () => {
  const queue = new Queue<number>();
  for (let item = 0; item < 1000; item++) queue.tryPush(item);
  queue.end();
  let seen = 0;
  let isDone = false;
  const done = forEach(queue, () => void seen++).then(() => isDone = true);
  let most = 0;
  while (!isDone) {
    const before = seen;
    await undefined;
    most = Math.max(most, seen - before);
  }
  await done;
  assertEquals([seen, most <= 10], [1000, true]);
});

Deno.test("forEach() rejects with the queue's error after the last item, or with the sink's error", async () => {
  for (const way of [0, 1]) {
    const broken = new Queue<number>();
    broken.tryPush(1);
    broken.end(new Error("broken"));
    const seen: number[] = [];
    await assertRejects(
      () => forEach(bothWays(broken)[way] ?? broken, (item) => void seen.push(item)),
      Error,
      "broken",
    );
    assertEquals(seen, [1]);
    for (const fail of [() => Promise.reject(new Error("no")), thrower("no")]) {
      const queue = new Queue<number>();
      queue.tryPush(1);
      await assertRejects(() => forEach(bothWays(queue)[way] ?? queue, fail), Error, "no");
    }
  }
});

function thrower(message: string): () => never {
  return () => {
    throw new Error(message);
  };
}

Deno.test("Queue.push() allows maxHeld pending calls", async () => {
  const queue = new Queue<number>({ capacity: 1, maxHeld: 3 });
  const pushed = [1, 2, 3, 4, 5].map((item) => queue.push(item));
  assertEquals(await pushed[4], false);
  const all = Array.fromAsync(queue);
  assertEquals(await Promise.all(pushed), [true, true, true, true, false]);
  queue.end();
  assertEquals(await all, [1, 2, 3, 4]);
});
