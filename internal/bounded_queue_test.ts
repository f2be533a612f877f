import { assertEquals, assertRejects } from "@std/assert";
import { BoundedQueue } from "./bounded_queue.ts";

/** A queue of strings with a limit of 10 bytes. */
function create(): BoundedQueue<string> {
  return new BoundedQueue({ capacity: 3, maxBytes: 10, sizeOf: (text) => text.length });
}

Deno.test("BoundedQueue is full when the next item would exceed the limit in bytes", () => {
  const queue = create();
  assertEquals(queue.tryPush("12345"), undefined);
  assertEquals(queue.tryPush("123456"), "full");
  assertEquals(queue.tryPush("12345"), undefined);
  assertEquals(queue.tryPush("1"), "full");
  assertEquals(queue.tryShift(), "12345");
  assertEquals(queue.tryPush("1234"), undefined);
  assertEquals(queue.tryPush("1"), undefined);
  assertEquals(queue.tryPush(""), "full");
});

Deno.test("BoundedQueue accepts an item larger than the limit only if it is empty", () => {
  const queue = create();
  assertEquals(queue.tryPush("12345678901"), undefined);
  assertEquals(queue.tryPush(""), "full");
  assertEquals(queue.tryShift(), "12345678901");
  assertEquals(queue.tryPush("1"), undefined);
  assertEquals(queue.tryPush("12345678901"), "full");
});

Deno.test("BoundedQueue keeps the order when a small item follows a large waiting item", async () => {
  const queue = create();
  queue.tryPush("12345678");
  const waiting = queue.waitToPush("abcdef");
  assertEquals(queue.tryPush("x"), "full");
  const second = queue.waitToPush("y");
  assertEquals(queue.tryShift(), "12345678");
  assertEquals(await Promise.all([waiting, second]), [undefined, undefined]);
  assertEquals([queue.tryShift(), queue.tryShift(), queue.tryShift()], ["abcdef", "y", undefined]);
});

Deno.test("BoundedQueue admits the next waiting item when a large waiting item is aborted", async () => {
  const queue = create();
  queue.tryPush("12345678");
  const controller = new AbortController();
  const large = queue.waitToPush("abcdef", controller.signal);
  const small = queue.waitToPush("y");
  controller.abort(new Error("stop"));
  await assertRejects(() => large, Error, "stop");
  assertEquals(await small, undefined);
  assertEquals([queue.tryShift(), queue.tryShift()], ["12345678", "y"]);
});

Deno.test("BoundedQueue regains its full capacity after cancel()", () => {
  const queue = create();
  queue.tryPush("1234567890");
  queue.cancel();
  assertEquals(queue.tryShift(), undefined);
  assertEquals(queue.isDrained, true);
});

Deno.test("size is the number of queued items", () => {
  const queue = new BoundedQueue<number>({ capacity: 2 });
  queue.tryPush(1);
  queue.tryPush(2);
  assertEquals([queue.size, queue.tryShift(), queue.size], [2, 1, 1]);
});

Deno.test("whenQueued() resolves when an item is queued, not when a waiting reader receives it", async () => {
  const queue = new BoundedQueue<number>({ capacity: 2 });
  const events: string[] = [];
  const queued = queue.whenQueued().then(() => events.push("queued"));
  const read = queue.waitToShift().then((item) => events.push(`read ${item}`));
  queue.tryPush(1);
  await read;
  queue.tryPush(2);
  await queued;
  assertEquals(events, ["read 1", "queued"]);
  await queue.whenQueued();
});
