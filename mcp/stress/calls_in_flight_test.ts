/** Tests that the cost of a call does not grow with the number of calls in flight. */

import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpClient } from "../client.ts";
import { McpServer, servePipe } from "../server.ts";
import { createMemoryTransport } from "../transport/memory.ts";
import { TimeoutScheduler } from "../shared/timeout_scheduler.ts";

/** Methods that visit the items of an array one by one. */
const SCANS = ["includes", "indexOf", "lastIndexOf", "findIndex", "shift", "splice"] as const;

/** Returns the number of items in the arrays that are scanned while `work` runs. */
async function scannedItems(work: () => Promise<unknown>): Promise<number> {
  let items = 0;
  const originals = SCANS.map((name) => [name, Array.prototype[name]] as const);
  for (const [name, original] of originals) {
    const scan = function (this: unknown[], ...args: unknown[]): unknown {
      items += this.length;
      return Reflect.apply(original, this, args);
    };
    Object.defineProperty(Array.prototype, name, { value: scan, configurable: true });
  }
  try {
    await work();
  } finally {
    for (const [name, value] of originals) {
      Object.defineProperty(Array.prototype, name, { value, configurable: true, writable: true });
    }
  }
  return items;
}

/** Returns the number of scanned items per call, rounded, for the given number of calls at once. */
async function scannedPerCall(calls: number): Promise<number> {
  const server = new McpServer({ name: "s", version: "1" });
  const arrived = Promise.withResolvers<void>();
  let waiting = 0;
  server.registerTool({ name: "wait", description: "" }, async () => {
    if (++waiting === calls) arrived.resolve();
    await arrived.promise;
    return "done";
  });
  const transport = createMemoryTransport((pipe) =>
    servePipe(server, pipe, { maxConcurrent: calls })
  );
  const client = new McpClient({ transport, maxConcurrent: calls });
  await client.connect();
  const items = await scannedItems(() =>
    Promise.all(Array.from({ length: calls }, () => client.callTool("wait")))
  );
  await client.disconnect();
  return Math.round(items / calls);
}

Deno.test("a call scans no list of the calls in flight", async () => {
  assertEquals(await scannedPerCall(10_000), await scannedPerCall(100));
});

Deno.test("TimeoutScheduler fires more timeouts than a function can have arguments", () => {
  using time = new FakeTime(0);
  const scheduler = new TimeoutScheduler();
  let fired = 0;
  const soon = {
    dueAt: 10,
    fire: () => {
      fired++;
      soon.dueAt = Infinity;
    },
  };
  scheduler.add(soon);
  for (let count = 0; count < 200_000; count++) scheduler.add({ dueAt: Infinity, fire() {} });
  time.tick(10);
  assertEquals(fired, 1);
});
