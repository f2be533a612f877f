import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import { CredentialAccess } from "./credential_access.ts";
import { type CredentialStore, memoryStore } from "./credential_store.ts";

function never(): Promise<never> {
  return new Promise(() => {});
}
const { signal } = new AbortController();

function accessTo(
  store: Partial<CredentialStore>,
): { readonly access: CredentialAccess; readonly reports: unknown[] } {
  const reports: unknown[] = [];
  const report = (error: unknown): void => void reports.push(error);
  const limits = { requestTimeoutMs: 1000, loginTimeoutMs: 60_000, report };
  return { access: new CredentialAccess({ ...memoryStore(), ...store }, limits), reports };
}

/** Executes tasks and returns the order in which they started and ended. */
function createLog() {
  const log: string[] = [];
  const task = (name: string, gate: Promise<void> = Promise.resolve()) => async () => {
    log.push(`+${name}`);
    await gate;
    log.push(`-${name}`);
  };
  return { log, task };
}

Deno.test("withLock() executes the tasks of all clients of a store one after another", async () => {
  for (const lock of [undefined, memoryStore().lock]) {
    const store = { load: () => undefined, save: () => {}, ...(lock && { lock }) };
    const limits = { requestTimeoutMs: 1000, loginTimeoutMs: 1000, report: () => {} };
    const [one, two] = [new CredentialAccess(store, limits), new CredentialAccess(store, limits)];
    const { log, task } = createLog();
    const gate = Promise.withResolvers<void>();
    const all = [
      one.withLock("k", signal, task("a", gate.promise)),
      two.withLock("k", signal, task("b")),
      one.withLock("k", signal, task("c")),
      two.withLock("other", signal, task("d")),
    ];
    await all[3];
    gate.resolve();
    await Promise.all(all);
    assertEquals(log, ["+a", "+d", "-d", "-a", "+b", "-b", "+c", "-c"]);
  }
});

Deno.test("withLock() releases the locks if the task fails", async () => {
  const { access } = accessTo({});
  const error = new Error("task failed");
  const failing = access.withLock("k", signal, () => Promise.reject(error));
  assertStrictEquals(await assertRejects(() => failing), error);
  assertEquals(await access.withLock("k", signal, () => Promise.resolve(1)), 1);
});

Deno.test("withLock() does not wait longer than its signal or the login timeout", async () => {
  using time = new FakeTime();
  const { access } = accessTo({});
  const gate = Promise.withResolvers<void>();
  const held = access.withLock("k", signal, () => gate.promise);
  const stop = new AbortController();
  const { log, task } = createLog();
  const aborted = assertRejects(
    () => access.withLock("k", stop.signal, task("a")),
    Error,
    "no longer needed",
  );
  const late = assertRejects(
    () => access.withLock("k", signal, task("b")),
    McpError,
    "waiting for another client that uses the credential store timed out after 60000 ms",
  );
  await time.tickAsync(0);
  stop.abort(new Error("no longer needed"));
  await aborted;
  await time.tickAsync(60_000);
  await late;
  gate.resolve();
  await held;
  // The callers that have stopped waiting do not hold the lock.
  await access.withLock("k", signal, task("c"));
  assertEquals(log, ["+c", "-c"]);
});

/** Locks that fail, keyed by title, and the message of the error. */
const FAILING_LOCKS: Readonly<Record<string, readonly [() => unknown, string]>> = {
  "throws": [() => {
    throw new Error("no lock");
  }, "locking the credential store failed"],
  "rejects": [() => Promise.reject(new Error("no lock")), "locking the credential store failed"],
  "returns no lock": [() => Promise.resolve(undefined), "locking the credential store failed"],
  "returns an object without dispose": [() => Promise.resolve({}), "locking the credential store"],
  "never settles": [never, "timed out after 60000 ms"],
};

for (const [title, [lock, message]] of Object.entries(FAILING_LOCKS)) {
  Deno.test(`withLock() does not execute the task if the lock of the store ${title}`, async () => {
    using time = new FakeTime();
    // The cast is safe for this test, because it checks how invalid results are handled.
    const { access } = accessTo({ lock: lock as NonNullable<CredentialStore["lock"]> });
    const { log, task } = createLog();
    for (let call = 0; call < 2; call++) {
      const failed = assertRejects(
        () => access.withLock("k", signal, task("a")),
        McpError,
        message,
      );
      await time.tickAsync(60_000);
      await failed;
    }
    assertEquals(log, []);
  });
}

Deno.test("withLock() releases a lock that arrives after the wait has ended", async () => {
  const arriving = Promise.withResolvers<AsyncDisposable>();
  const asked = Promise.withResolvers<void>();
  const { access } = accessTo({
    lock: () => {
      asked.resolve();
      return arriving.promise;
    },
  });
  const stop = new AbortController();
  const aborted = assertRejects(() => access.withLock("k", stop.signal, never), Error, "stop");
  await asked.promise;
  stop.abort(new Error("stop"));
  await aborted;
  const released = Promise.withResolvers<void>();
  arriving.resolve({ [Symbol.asyncDispose]: () => Promise.resolve(released.resolve()) });
  await released.promise;
});

Deno.test("withLock() reports a lock that cannot be released, and does not wait for it forever", async () => {
  using time = new FakeTime();
  const dispositions = [
    () => Promise.reject(new Error("connection lost")),
    () => {
      throw new Error("connection lost");
    },
    never,
  ];
  for (const [index, dispose] of dispositions.entries()) {
    const lock = () => Promise.resolve({ [Symbol.asyncDispose]: dispose });
    const { access, reports } = accessTo({ lock });
    const done = access.withLock("k", signal, () => Promise.resolve("result"));
    for (let step = 0; step < 3; step++) await time.tickAsync(1000);
    assertEquals(await done, "result");
    const problem = index === 2 ? "timed out after 1000 ms" : "failed";
    assertEquals(reports.map(String), [
      `McpError: Cannot authorize the request: unlocking the credential store ${problem}`,
    ]);
  }
});

Deno.test("save() continues after an abort, and the lock is released when it has ended", async () => {
  const saved: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { access } = accessTo({
    save: async (_key, value) => {
      await gate.promise;
      saved.push(`${value}`);
    },
  });
  const stop = new AbortController();
  const first = access.withLock("k", stop.signal, async () => {
    stop.abort(new Error("stop"));
    await access.save("k", "new", stop.signal);
  });
  const second = access.withLock("k", signal, () => Promise.resolve(saved.push("second")));
  gate.resolve();
  await assertRejects(() => first, Error, "stop");
  await second;
  assertEquals(saved, ["new", "second"]);
});

Deno.test("withLock() rejects immediately if its signal aborts while the store never settles", async () => {
  using time = new FakeTime();
  const saving = Promise.withResolvers<void>();
  const { access } = accessTo({
    save: () => {
      saving.resolve();
      return never();
    },
    lock: () => Promise.resolve({ [Symbol.asyncDispose]: never }),
  });
  const stop = new AbortController();
  const aborted = assertRejects(
    () => access.withLock("k", stop.signal, () => access.save("k", "v", stop.signal)),
    Error,
    "stop",
  );
  await saving.promise;
  stop.abort(new Error("stop"));
  await aborted;
  // The lock is released after the timeouts of the store.
  for (let step = 0; step < 4; step++) await time.tickAsync(1000);
});

Deno.test("load() and save() end if the store fails, never settles or the signal aborts", async () => {
  using time = new FakeTime();
  const stop = new AbortController();
  const stuck = accessTo({ load: never, save: never }).access;
  const ended = [
    assertRejects(
      () => stuck.load("k", signal),
      McpError,
      "reading from the credential store timed out after 1000 ms",
    ),
    assertRejects(
      () => stuck.save("k", "v", signal),
      McpError,
      "writing to the credential store timed out after 1000 ms",
    ),
    assertRejects(() => stuck.load("k", stop.signal), Error, "stop"),
    assertRejects(() => stuck.save("k", "v", stop.signal), Error, "stop"),
  ];
  stop.abort(new Error("stop"));
  await time.tickAsync(1000);
  await Promise.all(ended);
  const fail = (): never => {
    throw new Error("broken");
  };
  const broken = accessTo({ load: fail, save: fail }).access;
  await assertRejects(() => broken.load("k"), McpError, "reading from the credential store failed");
  await assertRejects(() => broken.save("k", "v"), McpError, "writing to the credential store");
});

Deno.test("load() treats null as absent and rejects values that are not strings", async () => {
  const load = (value: unknown) =>
    // The cast is safe for this test, because it checks how invalid results are handled.
    accessTo({ load: () => value as string }).access.load("k");
  assertEquals(await load(null), undefined);
  assertEquals(await load(""), "");
  const error = await assertRejects(() => load({ secret: "planted" }), McpError);
  assert(!Deno.inspect(error).includes("planted"));
});
