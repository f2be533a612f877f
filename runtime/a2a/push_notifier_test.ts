import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { ServedRun } from "../serve/contracts.ts";
import { A2aError } from "./errors.ts";
import { isPublicUrl, memoryPushConfigs, type PushConfigStore } from "./push_config.ts";
import { PushNotifier, type PushTarget } from "./push_notifier.ts";
import { type PushOptions, readPushOptions, toPushSettings } from "./push_options.ts";
import {
  ask,
  call,
  type Clerk,
  ENDPOINT,
  idOf,
  message,
  pick,
  readStream,
  rpc,
  serveClerk,
  stateOf,
} from "./testdata/served_clerk.ts";

const URL_OF_CLIENT = "https://client.example.com/hook";

/** Forbidden URLs: each must be rejected without a request. */
const FORBIDDEN = [
  "http://client.example.com/hook",
  "ftp://client.example.com/hook",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "https://127.0.0.1/hook",
  "https://2130706433/hook",
  "https://0x7f.1/hook",
  "https://10.0.0.1/hook",
  "https://93.184.216.34/hook",
  "https://[::1]/hook",
  "https://[2606:2800:220:1::]/hook",
  "https://169.254.169.254/latest/meta-data",
  "https://localhost/hook",
  "https://localhost./hook",
  "https://hook.localhost/",
  "https://intranet/hook",
  "https://printer.local/hook",
  "https://metadata.google.internal/hook",
  "https://hook.test/",
  "https://hook.example/",
  "https://hook.onion/",
  "https://user@client.example.com/hook",
  "https://user:secret@client.example.com/hook",
  "client.example.com/hook",
] as const;

interface Notified {
  readonly headers: Headers;
  readonly body: unknown;
  readonly redirect: string;
}

interface Recorded {
  readonly push: PushOptions;
  readonly sent: Notified[];
  readonly errors: unknown[];
  /** Resolves when a configuration is deleted, which happens after the last notification. */
  readonly allSent: Promise<void>;
  readonly store: PushConfigStore;
}

/** Returns options that record the notifications and respond with the given statuses. */
function record(
  statuses: readonly number[] = [],
  rest: PushOptions = {},
): Recorded {
  const sent: Notified[] = [];
  const { promise: allSent, resolve } = Promise.withResolvers<void>();
  const store = memoryPushConfigs();
  const errors: unknown[] = [];
  const push: PushOptions = {
    fetch: async (request) => {
      const { headers, redirect } = request;
      sent.push({ headers, body: await request.json(), redirect });
      return new Response("ignored", { status: statuses[sent.length - 1] ?? 200 });
    },
    onError: (error) => errors.push(error),
    store: {
      ...store,
      delete: (subject, taskId, id) => {
        resolve();
        return store.delete(subject, taskId, id);
      },
    },
    ...rest,
  };
  return { push, sent, errors, allSent, store };
}

/** Starts a task that waits at the gate, with a configuration. Returns the id of the task. */
async function startSlow(clerk: Clerk, config: object): Promise<string> {
  const configuration = { returnImmediately: true, taskPushNotificationConfig: config };
  const started = await call(clerk, "SendMessage", { ...message("slow"), configuration });
  await clerk.gate.reached;
  return idOf(pick(started, "task"));
}

Deno.test("a client is notified of the result and of the state, with its credentials", async () => {
  const { allSent, errors, push, sent } = record();
  await using clerk = serveClerk({ push });
  await startSlow(clerk, {
    id: "p1",
    url: URL_OF_CLIENT,
    token: "t0ken",
    authentication: { scheme: "Bearer", credentials: "abc" },
  });
  clerk.gate.release();
  await allSent;
  assertEquals(sent.map(({ headers }) => headers.get("authorization")), [
    "Bearer abc",
    "Bearer abc",
  ]);
  assertEquals(sent[0]?.headers.get("x-a2a-notification-token"), "t0ken");
  assertEquals(sent[0]?.headers.get("content-type"), "application/json");
  assertEquals(sent[0]?.redirect, "manual");
  assertEquals(pick(sent[0]?.body, "artifactUpdate", "artifact", "parts"), [
    { text: "You said: slow" },
  ]);
  assertEquals(pick(sent[0]?.body, "artifactUpdate", "lastChunk"), true);
  assertEquals(stateOf(pick(sent[1]?.body, "statusUpdate")), "COMPLETED");
  assertEquals(errors, []);
});

Deno.test("the configurations of a task are created, read, replaced, listed and deleted", async () => {
  const { push } = record();
  await using clerk = serveClerk({ push });
  const taskId = idOf(await ask(clerk, "ask"));
  const create = (config: object): Promise<unknown> =>
    call(clerk, "CreateTaskPushNotificationConfig", { taskId, url: URL_OF_CLIENT, ...config });
  const created = await create({ token: "a", task_id: "other", unknown: true });
  const id = pick(created, "id");
  assertMatch(String(id), /^[0-9a-f-]{36}$/);
  assertEquals(created, { id, taskId, url: URL_OF_CLIENT, token: "a" });
  assertEquals(await call(clerk, "GetTaskPushNotificationConfig", { taskId, id }), created);
  await create({ id: "p2" });
  const replaced = await create({ id: "p2", token: "b" });
  assertEquals(await call(clerk, "ListTaskPushNotificationConfigs", { taskId }), {
    configs: [created, replaced],
    nextPageToken: "",
  });
  assertEquals(await call(clerk, "DeleteTaskPushNotificationConfig", { taskId, id }), {});
  assertEquals(await call(clerk, "DeleteTaskPushNotificationConfig", { taskId, id }), {});
  assertEquals(await call(clerk, "GetTaskPushNotificationConfig", { taskId, id }), -32001);
});

Deno.test("a URL that is not public is rejected, and a task is not started", async () => {
  const { push, sent } = record();
  await using clerk = serveClerk({ push });
  const taskId = idOf(await ask(clerk, "ask"));
  for (const url of FORBIDDEN) {
    const created = await call(clerk, "CreateTaskPushNotificationConfig", { taskId, url });
    assertEquals(created, -32602, url);
  }
  const configuration = { taskPushNotificationConfig: { url: "https://10.0.0.1/" } };
  assertEquals(await call(clerk, "SendMessage", { ...message("hello"), configuration }), -32602);
  assertEquals(pick(await call(clerk, "ListTasks", {}), "totalSize"), 1);
  assertEquals(sent, []);
  for (
    const url of ["https://a.example.com/", "https://a.example.com:8443/x?y#z", "https://a.b.c.de."]
  ) {
    assert(isPublicUrl(new URL(url)), url);
  }
});

Deno.test("credentials and tokens cannot change other headers", async () => {
  const { push } = record();
  await using clerk = serveClerk({ push });
  const taskId = idOf(await ask(clerk, "ask"));
  const configs: readonly object[] = [
    { token: "a\r\nx-admin: 1" },
    { token: "a\nb" },
    { token: "caf\u00e9" },
    { token: "a\u0000" },
    { authentication: { scheme: "Bearer\r\nx-admin: 1" } },
    { authentication: { scheme: "Bearer abc" } },
    { authentication: { scheme: "" } },
    { authentication: { scheme: "Bearer", credentials: "a\r\nx-admin: 1" } },
    { authentication: { scheme: "Bearer", credentials: "\u2028" } },
    { authentication: "Bearer abc" },
  ];
  for (const config of configs) {
    const params = { taskId, url: URL_OF_CLIENT, ...config };
    assertEquals(await call(clerk, "CreateTaskPushNotificationConfig", params), -32602);
  }
});

Deno.test("checkUrl decides on URLs that meet the rules", async () => {
  const checked: string[] = [];
  const { push } = record([], {
    checkUrl: (url) => {
      checked.push(url.hostname);
      return url.hostname === "client.example.com";
    },
  });
  await using clerk = serveClerk({ push });
  const taskId = idOf(await ask(clerk, "ask"));
  const create = (url: string): Promise<unknown> =>
    call(clerk, "CreateTaskPushNotificationConfig", { taskId, url });
  assertEquals(typeof await create(URL_OF_CLIENT), "object");
  assertEquals(await create("https://other.example.com/"), -32602);
  assertEquals(await create("https://10.0.0.1/"), -32602);
  assertEquals(checked, ["client.example.com", "other.example.com"]);
});

Deno.test("a task and a caller have a maximum number of configurations", async () => {
  const { push } = record([], { maxConfigsPerTask: 2, maxConfigs: 30 });
  await using clerk = serveClerk({ push });
  const taskIds = [idOf(await ask(clerk, "ask")), idOf(await ask(clerk, "ask"))];
  const create = (task: number, id?: string): Promise<unknown> =>
    call(clerk, "CreateTaskPushNotificationConfig", {
      taskId: taskIds[task],
      url: URL_OF_CLIENT,
      ...id !== undefined && { id },
    });
  assertEquals(typeof await create(0, "a"), "object");
  assertEquals(typeof await create(0, "b"), "object");
  assertEquals(await create(0), -32011);
  assertEquals(typeof await create(0, "b"), "object");
  // A caller has a tenth of all configurations.
  assertEquals(typeof await create(1, "c"), "object");
  assertEquals(await create(1), -32011);
  const bob = idOf(await ask(clerk, "ask", { as: "bob" }));
  const params = { taskId: bob, url: URL_OF_CLIENT };
  const created = await call(clerk, "CreateTaskPushNotificationConfig", params, { as: "bob" });
  assertEquals(typeof created, "object");
  // A configuration that is deleted gives its place back.
  await call(clerk, "DeleteTaskPushNotificationConfig", { taskId: taskIds[0], id: "a" });
  assertEquals(typeof await create(1), "object");
});

Deno.test("a task whose configuration exceeds a limit is not followed", async () => {
  const notifier = new PushNotifier(toPushSettings(readPushOptions({ maxConfigs: 10 })));
  const signals: (AbortSignal | undefined)[] = [];
  const target = (id: string): PushTarget => {
    const run: ServedRun = {
      id,
      sessionId: "c1",
      startedAt: 0,
      metadata: {},
      state: { status: "running", waitingFor: [], updatedAt: 0 },
      async *events({ signal } = {}) {
        signals.push(signal);
        await new Promise((resolve) => signal?.addEventListener("abort", resolve));
        yield* [];
      },
      settled: () => Promise.reject(new Error("not called")),
      input: () => Promise.resolve(false),
      cancel: () => Promise.resolve(false),
    };
    return { caller: { subject: "alice" }, run, refresh: () => Promise.resolve(run) };
  };
  await notifier.create(target("t1"), { id: "p1", url: URL_OF_CLIENT });
  await assertRejects(
    () => notifier.create(target("t2"), { id: "p1", url: URL_OF_CLIENT }),
    A2aError,
    "Too many push notification configurations",
  );
  assertEquals(signals.map((signal) => signal?.aborted), [false, true]);
  await notifier.delete(target("t1"), "p1");
  assertEquals(signals.map((signal) => signal?.aborted), [true, true]);
});

Deno.test("configurations of ended tasks do not use up the places of their caller", async () => {
  const { push } = record([], { maxConfigs: 10 });
  await using clerk = serveClerk({ push });
  const first = idOf(await ask(clerk, "hello"));
  const second = idOf(await ask(clerk, "hello"));
  const create = (taskId: string): Promise<unknown> =>
    call(clerk, "CreateTaskPushNotificationConfig", { taskId, url: URL_OF_CLIENT });
  const count = async (taskId: string): Promise<number> =>
    Object(await call(clerk, "ListTaskPushNotificationConfigs", { taskId })).configs.length;
  assertEquals(typeof await create(first), "object");
  assertEquals(typeof await create(second), "object");
  assertEquals([await count(first), await count(second)], [0, 1]);
  assertEquals(typeof await create(idOf(await ask(clerk, "ask"))), "object");
  assertEquals(await create(idOf(await ask(clerk, "ask"))), -32011);
});

Deno.test("a message whose configuration exceeds a limit has no effect", async () => {
  const { push } = record([], { maxConfigs: 20, maxConfigsPerTask: 1 });
  await using clerk = serveClerk({ push });
  const send = (text: string, id: string, rest: object = {}): Promise<unknown> =>
    call(clerk, "SendMessage", {
      ...message(text, rest),
      configuration: { taskPushNotificationConfig: { id, url: URL_OF_CLIENT } },
    });
  const count = async (): Promise<unknown> => pick(await call(clerk, "ListTasks", {}), "totalSize");
  const first = idOf(pick(await send("ask", "a"), "task"));
  // The task has another configuration, so the message does not answer its question.
  assertEquals(await send("red", "b", { taskId: first }), -32011);
  assertEquals(stateOf(await call(clerk, "GetTask", { id: first })), "INPUT_REQUIRED");
  // Of the messages that are sent concurrently, one takes the last place of the caller.
  const results = await Promise.all([send("ask", "a"), send("ask", "a"), send("ask", "a")]);
  assertEquals(results.filter((result) => result === -32011).length, 2);
  assertEquals(await count(), 2);
  // A configuration that is replaced needs no place.
  assertEquals(stateOf(pick(await send("red", "a", { taskId: first }), "task")), "COMPLETED");
});

Deno.test("a message that is rejected gives the place of its configuration back", async () => {
  const { push } = record([], { maxConfigs: 10 });
  await using clerk = serveClerk({ push });
  const configuration = { taskPushNotificationConfig: { url: URL_OF_CLIENT } };
  const send = (rest: object): Promise<unknown> =>
    call(clerk, "SendMessage", { ...message("ask", rest), configuration });
  assertEquals(await send({ taskId: "unknown" }), -32001);
  assertEquals(typeof await send({}), "object");
});

Deno.test("the callers of a party share the places of their configurations", async () => {
  const { push } = record([], { maxConfigs: 10 });
  await using clerk = serveClerk({ push });
  const send = async (subject: string, party: string): Promise<number> => {
    const configuration = { taskPushNotificationConfig: { url: URL_OF_CLIENT } };
    const request = new Request(`${ENDPOINT}/message:send`, {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
      body: JSON.stringify({ ...message("ask"), configuration }),
    });
    return (await clerk.handler(request, { principal: { subject, party } })).status;
  };
  assertEquals(await send("did:example:a1", "a.example"), 200);
  assertEquals(await send("did:example:a2", "a.example"), 429);
  assertEquals(await send("did:example:b1", "b.example"), 200);
});

Deno.test("a configuration that cannot be stored uses no place", async () => {
  let isBroken = true;
  const store: PushConfigStore = {
    ...memoryPushConfigs(),
    put: () => isBroken ? Promise.reject(new Error("disk full")) : undefined,
  };
  const { push } = record([], { store, maxConfigs: 10 });
  await using clerk = serveClerk({ push });
  const taskId = idOf(await ask(clerk, "ask"));
  const create = (): Promise<unknown> =>
    call(clerk, "CreateTaskPushNotificationConfig", { taskId, url: URL_OF_CLIENT });
  assertEquals(await create(), -32603);
  assertEquals(clerk.errors.map(String), ["Error: disk full"]);
  isBroken = false;
  assertEquals(typeof await create(), "object");
});

Deno.test("a notification is sent again after a failure of the server, before the next one", async () => {
  const { allSent, errors, push, sent } = record([500, 429, 503, 200], { retryDelayMs: 1 });
  await using clerk = serveClerk({ push });
  await startSlow(clerk, { url: URL_OF_CLIENT });
  clerk.gate.release();
  await allSent;
  const kinds = sent.map(({ body }) => Object.keys(Object(body))[0]);
  const answer = "artifactUpdate";
  assertEquals(kinds, [answer, answer, answer, answer, "statusUpdate"]);
  assertEquals(errors, []);
});

Deno.test("a notification that was accepted is not sent again if its response fails", async () => {
  const bodies: unknown[] = [];
  const { allSent, errors, push } = record([], {
    retryDelayMs: 1,
    fetch: async (request) => {
      bodies.push(await request.json());
      const cancel = (): Promise<void> =>
        bodies.length === 1 ? Promise.reject(new Error("reset")) : new Promise(() => {});
      return new Response(new ReadableStream({ cancel }));
    },
  });
  await using clerk = serveClerk({ push });
  await startSlow(clerk, { url: URL_OF_CLIENT });
  clerk.gate.release();
  await allSent;
  assertEquals(bodies.map((body) => Object.keys(Object(body))[0]), [
    "artifactUpdate",
    "statusUpdate",
  ]);
  assertEquals(errors, []);
});

Deno.test("a notification is given up after the maximum number of attempts", async () => {
  const { allSent, errors, push, sent } = record([], {
    maxAttempts: 3,
    retryDelayMs: 1,
    fetch: () => {
      sent.push({ headers: new Headers(), body: null, redirect: "" });
      return Promise.reject(new TypeError(`cannot connect to ${URL_OF_CLIENT}`));
    },
  });
  await using clerk = serveClerk({ push });
  const taskId = await startSlow(clerk, { url: URL_OF_CLIENT });
  clerk.gate.release();
  await allSent;
  assertEquals(sent.length, 6);
  const message = `Error: Cannot notify the client of task "${taskId}": no response`;
  assertEquals(errors.map(String), [message, message]);
});

Deno.test("a rejected notification is not sent again, and its error names no secret", async () => {
  for (const status of [400, 401, 404, 302]) {
    const { allSent, errors, push, sent } = record([status, status]);
    await using clerk = serveClerk({ push });
    const authentication = { scheme: "Bearer", credentials: "hunter2" };
    const taskId = await startSlow(clerk, { url: URL_OF_CLIENT, authentication });
    clerk.gate.release();
    await allSent;
    assertEquals(sent.length, 2);
    assertEquals(
      String(errors[0]),
      `Error: Cannot notify the client of task "${taskId}": HTTP status ${status}`,
    );
    assertEquals(Object(errors[0]).cause, undefined);
  }
});

Deno.test("a configuration that is deleted receives nothing more", async () => {
  const { push, sent } = record();
  await using clerk = serveClerk({ push });
  const taskId = await startSlow(clerk, { id: "p1", url: URL_OF_CLIENT });
  await call(clerk, "DeleteTaskPushNotificationConfig", { taskId, id: "p1" });
  const stream = await rpc(clerk, "SubscribeToTask", { id: taskId });
  clerk.gate.release();
  await Array.fromAsync(readStream(stream));
  assertEquals(sent, []);
});

Deno.test("a client is notified of each state", async () => {
  const { allSent, push, sent } = record();
  await using clerk = serveClerk({ push });
  const configuration = { taskPushNotificationConfig: { url: URL_OF_CLIENT } };
  const waiting = await call(clerk, "SendMessage", { ...message("ask"), configuration });
  const taskId = idOf(pick(waiting, "task"));
  await ask(clerk, "left", { rest: { taskId } });
  await allSent;
  const states = sent.flatMap(({ body }) => {
    const status = pick(body, "statusUpdate");
    return status === undefined ? [] : [stateOf(status)];
  });
  assertEquals(states.slice(-2), ["WORKING", "COMPLETED"]);
});

Deno.test("the store of the application contains the configurations", async () => {
  const { allSent, push, store } = record();
  await using clerk = serveClerk({ push });
  const taskId = await startSlow(clerk, { id: "p1", url: URL_OF_CLIENT });
  assertEquals(await store.list("alice", taskId), [{ id: "p1", taskId, url: URL_OF_CLIENT }]);
  assertEquals(await store.list(undefined, taskId), []);
  clerk.gate.release();
  await allSent;
  assertEquals(await store.list("alice", taskId), []);
});

Deno.test("without the option, push notifications are not supported", async () => {
  await using clerk = serveClerk();
  const configuration = { taskPushNotificationConfig: { url: URL_OF_CLIENT } };
  assertEquals(await call(clerk, "SendMessage", { ...message("hello"), configuration }), -32003);
  assertEquals(await call(clerk, "ListTaskPushNotificationConfigs", { taskId: "a" }), -32003);
  assertEquals(pick(await call(clerk, "ListTasks", {}), "totalSize"), 0);
});
