import { assertEquals } from "@std/assert";
import { memoryTaskStore } from "./memory_task_store.ts";
import { call, eventually, make, override, type Work } from "./testdata/jobs.ts";

const HOUR_MS = 3_600_000;

/** Sets the system clock forward, or back if the time is negative. */
function setClock(byMs: number): Disposable {
  const original = Date.now;
  Date.now = () => original() + byMs;
  return { [Symbol.dispose]: () => void (Date.now = original) };
}

function record(taskId: string) {
  const at = new Date().toISOString();
  const metadata = { createdAt: at, lastUpdatedAt: at, ttlMs: 10 * HOUR_MS };
  const task = { taskId, status: "working", ...metadata } as const;
  return { task, epoch: 0, expiresAt: Date.now() + 10 * HOUR_MS };
}

Deno.test("a lease in memory does not expire if the system clock is set forward", async () => {
  const store = memoryTaskStore();
  await store.set(record("a"), { leaseMs: 60_000 });
  using _clock = setClock(HOUR_MS);
  assertEquals(await store.takeExpired({ limit: 10, leaseMs: 60_000 }), []);
  assertEquals(await store.signal("a", { kind: "cancel" }), true);
  assertEquals(await store.renew([{ taskId: "a", epoch: 0 }], { leaseMs: 60_000 }), ["a"]);
});

Deno.test("a lease in memory expires although the system clock is set back", async () => {
  const store = memoryTaskStore();
  await store.set(record("a"), { leaseMs: 1 });
  using _clock = setClock(-HOUR_MS);
  await eventually(async () => (await store.takeExpired({ limit: 10, leaseMs: 1 })).length === 1);
});

Deno.test("leases are renewed although the system clock is set back", async () => {
  const memory = memoryTaskStore();
  let renewals = 0;
  const store = override(memory, {
    renew: (leases, options) => {
      renewals++;
      return memory.renew(leases, options);
    },
  });
  const work: Work = ({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  const server = make(work, { store, leaseMs: 200 });
  await call(server);
  await eventually(() => renewals > 0);
  using _clock = setClock(-HOUR_MS);
  const before = renewals;
  await eventually(() => renewals > before + 2);
  await server.close();
});
