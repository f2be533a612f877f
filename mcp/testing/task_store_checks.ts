/**
 * Checks that every task store must pass.
 *
 * @module
 */

import type { Task, TaskState } from "../tasks/task.ts";
import type { TaskRecord, TaskStore } from "../tasks/task_store.ts";
import { type Check, check, createInbox, expectEqual, retry } from "./check.ts";

const LONG = { leaseMs: 60_000 };
const SHORT = { leaseMs: 1 };

function newRecord(
  state: TaskState = { status: "working" },
  rest: Partial<TaskRecord> = {},
): TaskRecord {
  const createdAt = new Date().toISOString();
  const task: Task = {
    taskId: crypto.randomUUID(),
    createdAt,
    lastUpdatedAt: createdAt,
    ttlMs: 600_000,
    ...state,
  };
  return { task, expiresAt: Date.now() + 600_000, epoch: 0, ...rest };
}

async function add(store: TaskStore, record: TaskRecord, { leaseMs } = LONG): Promise<string> {
  expectEqual(await store.set(record, { leaseMs }), true, "the result of set() for a new task");
  return record.task.taskId;
}

/** Maximum difference of the expiry time of a record that a store returns, in milliseconds. */
const MAX_SHIFT_MS = 60_000;

/**
 * Compares records. The expiry time may differ, because a store can convert it from the clock of
 * its database.
 */
function expectRecord(actual: TaskRecord | undefined, expected: TaskRecord, what: string): void {
  const { expiresAt } = expected;
  const shiftMs = actual === undefined ? 0 : Math.abs(actual.expiresAt - expiresAt);
  expectEqual(actual && { ...actual, expiresAt }, expected, what);
  expectEqual(shiftMs < MAX_SHIFT_MS, true, `whether the expiry time of ${what} is kept`);
}

/**
 * Takes over expired tasks until the task with the given id is among them. Several checks may run
 * at the same time.
 */
async function takeOver(store: TaskStore, taskId: string): Promise<TaskRecord> {
  return await retry(async () => {
    const taken = await store.takeExpired({ limit: 1000, ...LONG });
    return taken.find(({ task }) => task.taskId === taskId);
  });
}

/**
 * Checks for implementations of {@linkcode TaskStore}. Each check is independent of all other
 * checks and of the test runner. The function passed to `run` must return stores that share their
 * data if it is called twice.
 *
 * @example Check the in-memory store
 * ```ts
 * import { memoryTaskStore } from "@parley/mcp/tasks";
 * import { taskStoreChecks } from "@parley/mcp/testing";
 *
 * for (const check of taskStoreChecks) {
 *   const store = memoryTaskStore();
 *   // With a test runner: Deno.test(check.name, () => check.run(() => store));
 *   await check.run(() => store);
 * }
 * ```
 */
export const taskStoreChecks: readonly Check<TaskStore>[] = [
  check("get() returns a stored task with all its members", async (open) => {
    const store = await open();
    const inputRequests = {
      "a.b": {
        method: "elicitation/create",
        params: { message: "\u{1f600} '\"\\", requestedSchema: { type: "object" } },
      },
    } as const;
    const record = newRecord({ status: "input_required", inputRequests }, { subject: "ada" });
    const taskId = await add(store, record);
    const stored = await store.get(taskId);
    expectRecord(stored, record, "the stored task");
    const isUnknown = await store.get(crypto.randomUUID()) ?? undefined;
    expectEqual(isUnknown === undefined, true, "whether get() returns undefined for an unknown id");
  }),
  check("set() stores U+0000 and lone surrogates in results and subjects", async (open) => {
    const store = await open();
    const text = "\0 \ud800 \udc00 \ufffd";
    const result = { content: [{ type: "text", text }], [text]: text };
    const record = newRecord({ status: "completed", result }, { subject: text });
    const taskId = await add(store, record);
    expectRecord(await store.get(taskId), record, "the stored task");
  }),
  check("an id that no task can have is unknown", async (open) => {
    const store = await open();
    const own = await add(store, newRecord());
    for (const taskId of ["", "a\0b", "\ud800", "\ufffd", own.toUpperCase(), `${own} `]) {
      const found = await store.get(taskId) ?? undefined;
      const name = JSON.stringify(taskId);
      expectEqual(found === undefined, true, `whether get() returns undefined for ${name}`);
      const isStored = await store.signal(taskId, { kind: "cancel" });
      expectEqual(isStored, false, `the result of signal() for ${name}`);
      const leases = [{ taskId, epoch: 0 }, { taskId: own, epoch: 0 }];
      expectEqual(await store.renew(leases, LONG), [own], `the result of renew() with ${name}`);
      expectEqual(await store.takeSignals([taskId, own]), [], `the signals of ${name}`);
    }
  }),
  check("set() replaces the state of a task", async (open) => {
    const [store, other] = [await open(), await open()];
    const record = newRecord();
    const taskId = await add(store, record);
    const task: Task = { ...record.task, status: "completed", result: { content: [] } };
    expectEqual(await store.set({ ...record, task }, LONG), true, "the result of set()");
    expectEqual((await other.get(taskId))?.task, task, "the task as read from a second store");
  }),
  check(
    "set() does not store a record whose epoch differs from that of the stored task",
    async (open) => {
      const store = await open();
      const record = newRecord();
      const taskId = await add(store, record);
      const changed = { ...record, task: { ...record.task, statusMessage: "changed" }, epoch: 1 };
      expectEqual(await store.set(changed, LONG), false, "the result of set() with epoch 1");
      expectRecord(await store.get(taskId), record, "the stored task");
    },
  ),
  check("set() does not store an unknown task whose epoch is not 0", async (open) => {
    const store = await open();
    const record = newRecord(undefined, { epoch: 1 });
    expectEqual(await store.set(record, LONG), false, "the result of set()");
    const found = await store.get(record.task.taskId) ?? undefined;
    expectEqual(found === undefined, true, "whether the task is unknown");
  }),
  check("renew() returns the tasks whose leases were extended", async (open) => {
    const store = await open();
    const held = newRecord();
    await add(store, held, SHORT);
    const ended = newRecord({ status: "cancelled" });
    await add(store, ended);
    const leases = [
      { taskId: held.task.taskId, epoch: 0 },
      { taskId: ended.task.taskId, epoch: 0 },
      { taskId: crypto.randomUUID(), epoch: 0 },
    ];
    // Another check may have taken over the task, because its lease is short.
    const taken = (await store.get(held.task.taskId))?.epoch !== 0;
    expectEqual(
      await store.renew(leases, LONG),
      taken ? [] : [held.task.taskId],
      "the result of renew()",
    );
  }),
  check("takeExpired() takes over a task and fences off its former process", async (open) => {
    const [owner, other] = [await open(), await open()];
    const record = newRecord();
    const taskId = await add(owner, record, SHORT);
    const taken = await takeOver(other, taskId);
    expectRecord(taken, { ...record, epoch: 1 }, "the task that was taken over");
    expectRecord(await owner.get(taskId), taken, "the stored task");
    expectEqual(await owner.renew([{ taskId, epoch: 0 }], LONG), [], "the leases of the owner");
    expectEqual(await owner.set(record, LONG), false, "the result of set() by the owner");
    const task: Task = { ...record.task, status: "cancelled" };
    expectEqual(
      await other.set({ ...taken, task }, LONG),
      true,
      "the result of set() by the new owner",
    );
  }),
  check("takeExpired() returns each task to only one caller", async (open) => {
    const store = await open();
    const taskId = await add(store, newRecord(), SHORT);
    const found = await retry(async () => {
      const all = await Promise.all(
        [1, 2, 3, 4].map(() => store.takeExpired({ limit: 1000, ...LONG })),
      );
      const own = all.flat().filter(({ task }) => task.taskId === taskId);
      return own.length === 0 ? undefined : own;
    });
    expectEqual(found.length, 1, "the number of callers");
  }),
  check("takeExpired() does not take over leased or ended tasks", async (open) => {
    const store = await open();
    const leased = await add(store, newRecord());
    const ended = await add(store, newRecord({ status: "completed", result: {} }), SHORT);
    // By the time the last task has expired, the lease of the ended task would also have expired.
    await takeOver(store, await add(store, newRecord(), SHORT));
    const epochs = [(await store.get(leased))?.epoch, (await store.get(ended))?.epoch];
    expectEqual(epochs, [0, 0], "the epochs");
  }),
  check("takeExpired() returns no more tasks than the limit", async (open) => {
    const store = await open();
    const ids = [await add(store, newRecord(), SHORT), await add(store, newRecord(), SHORT)];
    const remaining = new Set(ids);
    await retry(async () => {
      const taken = await store.takeExpired({ limit: 1, ...LONG });
      expectEqual(taken.length <= 1, true, "whether at most one task is returned");
      for (const { task } of taken) remaining.delete(task.taskId);
      for (const id of ids) if ((await store.get(id))?.epoch === 1) remaining.delete(id);
      return remaining.size === 0 ? true : undefined;
    });
  }),
  check(
    "signal() stores signals for a running task, and takeSignals() removes them",
    async (open) => {
      const [owner, other] = [await open(), await open()];
      const taskId = await add(owner, newRecord());
      const input = { kind: "input", inputResponses: { name: { text: "\u0001 '" } } } as const;
      expectEqual(await other.signal(taskId, input), true, "the result of the first signal()");
      expectEqual(await other.signal(taskId, { kind: "cancel" }), true, "the result of signal()");
      expectEqual(
        await owner.takeSignals([taskId, crypto.randomUUID()]),
        [{ taskId, signal: input }, { taskId, signal: { kind: "cancel" } }],
        "the signals",
      );
      expectEqual(await owner.takeSignals([taskId]), [], "the remaining signals");
    },
  ),
  check("signal() does not store a signal that no process would receive", async (open) => {
    const store = await open();
    const ended = await add(store, newRecord({ status: "cancelled" }));
    const expired = newRecord();
    await add(store, expired, SHORT);
    expectEqual(
      await store.signal(crypto.randomUUID(), { kind: "cancel" }),
      false,
      "the result of signal() for an unknown task",
    );
    expectEqual(
      await store.signal(ended, { kind: "cancel" }),
      false,
      "the result of signal() for an ended task",
    );
    await retry(async () => {
      const { taskId } = expired.task;
      // Another check may have taken over the task.
      if ((await store.get(taskId))?.epoch !== 0) return true;
      return await store.signal(taskId, { kind: "cancel" }) ? undefined : true;
    });
  }),
  check("signal() rejects if too many signals are waiting for a task", async (open) => {
    const store = await open();
    const taskId = await add(store, newRecord());
    let error: unknown;
    for (let count = 0; count < 1000 && error === undefined; count++) {
      await store.signal(taskId, { kind: "cancel" }).catch((reason) => error = reason);
    }
    expectEqual(error instanceof Error, true, "whether signal() rejects");
  }),
  check("watch() reports changes and signals to all stores", async (open) => {
    const [store, other] = [await open(), await open()];
    const changes = createInbox<string>();
    const signals = createInbox<string>();
    const stop = await other.watch({ onChange: changes.push, onSignal: signals.push });
    const record = newRecord();
    const taskId = await add(store, record);
    await changes.waitFor((id) => id === taskId);
    await store.signal(taskId, { kind: "cancel" });
    await signals.waitFor((id) => id === taskId);
    await stop();
    const count = changes.received.length;
    await store.set(record, LONG);
    const again = createInbox<string>();
    const stopAgain = await store.watch({ onChange: again.push, onSignal: () => {} });
    await store.set(record, LONG);
    await again.waitFor((id) => id === taskId);
    await stopAgain();
    const own = changes.received.slice(count).filter((id) => id === taskId);
    expectEqual(own, [], "the changes after the watcher was stopped");
  }),
];
