import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { asRecord } from "@parley/internal/json";
import type { JsonValue } from "../shared/json.ts";
import { eventStream, openStream } from "../models/testdata/fake_endpoint.ts";
import { type ToolContext, ToolError } from "../tools/tool.ts";
import { A2aClient } from "./a2a_client.ts";
import type { AgentCard } from "./agent_card.ts";
import { A2A_UNIQUE_MESSAGE_IDS } from "./extensions.ts";
import { remoteA2aAgent, type RemoteA2aAgentOptions } from "./remote_a2a_agent.ts";
import { serveClerk } from "./testdata/served_clerk.ts";
import { artifactOf, statusOf, taskOf } from "./testdata/scripted_agent.ts";

const CARD: AgentCard = {
  name: "The Oracle!",
  description: "Answers difficult questions",
  version: "1.0.0",
  supportedInterfaces: [
    { url: "https://oracle.example/a2a", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
  ],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

const UNIQUE: Partial<AgentCard> = {
  capabilities: { streaming: true, extensions: [{ uri: A2A_UNIQUE_MESSAGE_IDS }] },
};

const POLLING: Partial<AgentCard> = { capabilities: { streaming: false } };

/** A request that the agent has received. */
interface Seen {
  readonly call: string;
  readonly init: RequestInit;
}

/** Returns the response to a request. */
type Reply = (init: RequestInit) => Response | Promise<Response>;

function stream(...updates: readonly object[]): Reply {
  return () => eventStream(updates);
}

function json(body: unknown, status = 200): Reply {
  return () => Response.json(body, { status });
}

/** An agent that sends the given responses, one for each request. */
function script(replies: readonly Reply[], card: Partial<AgentCard> = {}) {
  const seen: Seen[] = [];
  const client = new A2aClient({ ...CARD, ...card }, {
    allowedOrigins: ["https://oracle.example"],
    fetch: async (url, init) => {
      seen.push({ call: `${init.method} ${url.slice("https://oracle.example/a2a".length)}`, init });
      const reply = replies[seen.length - 1];
      if (reply === undefined) throw new Error(`Unexpected request: ${seen.at(-1)?.call}`);
      return await reply(init);
    },
  });
  return { client, seen, calls: () => seen.map(({ call }) => call) };
}

/** Calls the tool, and advances the time until it ends. */
async function ask(
  options: RemoteA2aAgentOptions,
  context: Partial<ToolContext> = {},
): Promise<JsonValue> {
  using time = new FakeTime();
  const result = remoteA2aAgent(options).execute({ task: "6 * 7?" }, {
    agentName: "clerk",
    path: ["clerk"],
    runId: "r1",
    iteration: 0,
    messages: [],
    signal: new AbortController().signal,
    toolCallId: "call1",
    toolName: "oracle",
    idempotencyKey: "r1/0/call1",
    report: () => {},
    wait: () => Promise.reject(new Error("The tool must not wait")),
    sleep: () => Promise.reject(new Error("The tool must not sleep")),
    stop: () => {},
    ...context,
  });
  let isSettled = false;
  Promise.resolve(result).catch(() => {}).finally(() => isSettled = true);
  while (!isSettled) await time.tickAsync(500);
  return await result;
}

const working = { task: taskOf("WORKING") };
const answer = [artifactOf([{ text: "4" }]), artifactOf([{ text: "2" }], true)];
const completed = statusOf("COMPLETED");
const ARTIFACTS = [{ artifactId: "a1", parts: [{ text: "42" }] }];

Deno.test("remoteA2aAgent() streams the task, and returns the text of the artifact", async () => {
  const { calls, client, seen } = script([stream(working, ...answer, completed)]);
  const progress: JsonValue[] = [];
  const result = await ask({ client }, { report: (value) => void progress.push(value) });
  assertEquals(result, "42");
  assertEquals(calls(), ["POST /message:stream"]);
  const { configuration, message } = asRecord(JSON.parse(String(seen[0]?.init.body)));
  const { messageId, parts, role } = asRecord(message);
  assertEquals([role, parts], ["ROLE_USER", [{ text: "6 * 7?" }]]);
  assertEquals(String(messageId).length, 22);
  assertEquals(configuration, { historyLength: 0 });
  assertEquals(progress, [{ status: "working" }, { status: "completed" }]);
});

const ANSWERS: readonly (readonly [title: string, updates: readonly object[], JsonValue])[] = [
  ["data of one part", [artifactOf([{ data: { n: 42 } }])], { n: 42 }],
  ["a list of the data of several parts", [artifactOf([{ data: 1 }, { data: null }])], [1, null]],
  [
    "text if there is text and data",
    [artifactOf([{ text: "It is " }, { data: [42] }])],
    "It is [42]",
  ],
  [
    "names of files",
    [artifactOf([
      { text: "See " },
      { url: "https://oracle.example/a.pdf", filename: "a.pdf", mediaType: "application/pdf" },
      { raw: "aGk=" },
    ])],
    "See [a.pdf (application/pdf)](https://oracle.example/a.pdf)[file]",
  ],
  [
    "an artifact that was replaced",
    [artifactOf([{ text: "41" }]), artifactOf([{ text: "42" }])],
    "42",
  ],
  [
    "the texts of several artifacts",
    [
      artifactOf([{ text: "4" }]),
      {
        artifactUpdate: {
          ...Object(artifactOf([])).artifactUpdate,
          artifact: { artifactId: "b", parts: [{ text: "2" }] },
        },
      },
    ],
    "4\n\n2",
  ],
];

for (const [title, updates, expected] of ANSWERS) {
  Deno.test(`remoteA2aAgent() returns ${title}`, async () => {
    const { client } = script([stream(working, ...updates, completed)]);
    assertEquals(await ask({ client }), expected);
  });
}

Deno.test("remoteA2aAgent() returns the message of an agent that creates no task", async () => {
  const message = { messageId: "m1", role: "ROLE_AGENT", parts: [{ text: "42" }] };
  const streaming = script([stream({ message })]);
  assertEquals(await ask({ client: streaming.client }), "42");
  const polling = script([json({ message })], POLLING);
  assertEquals(await ask({ client: polling.client }), "42");
});

Deno.test("remoteA2aAgent() returns the explanation of a task without artifacts", async () => {
  const { client } = script([stream(working, statusOf("COMPLETED", "Nothing to do"))]);
  assertEquals(await ask({ client }), "Nothing to do");
});

Deno.test("remoteA2aAgent() requests the state of a task if the agent does not stream", async () => {
  const artifacts = [{ artifactId: "a1", parts: [{ text: "42" }] }];
  const { calls, client, seen } = script([
    json({ task: taskOf("SUBMITTED") }),
    json(taskOf("WORKING")),
    json(taskOf("COMPLETED", { artifacts })),
  ], POLLING);
  assertEquals(await ask({ client }), "42");
  assertEquals(calls(), [
    "POST /message:send",
    "GET /tasks/t1?historyLength=0",
    "GET /tasks/t1?historyLength=0",
  ]);
  assertEquals(JSON.parse(String(seen[0]?.init.body)).configuration, {
    historyLength: 0,
    returnImmediately: true,
  });
});

Deno.test("remoteA2aAgent() subscribes to a task whose stream has ended early", async () => {
  const artifacts = [{ artifactId: "a1", parts: [{ text: "42" }] }];
  const { calls, client } = script([
    stream(working, artifactOf([{ text: "4" }])),
    stream(working, completed),
    json(taskOf("COMPLETED", { artifacts })),
  ]);
  assertEquals(await ask({ client }), "42");
  assertEquals(calls(), [
    "POST /message:stream",
    "GET /tasks/t1:subscribe",
    "GET /tasks/t1?historyLength=0",
  ]);
});

Deno.test("remoteA2aAgent() reads a task that has ended before the subscription", async () => {
  const error = {
    code: 400,
    message: "The task has ended",
    details: [{ reason: "UNSUPPORTED_OPERATION" }],
  };
  const artifacts = [{ artifactId: "a1", parts: [{ text: "42" }] }];
  const { client, seen } = script([
    stream(working),
    json({ error }, 400),
    json(taskOf("COMPLETED", { artifacts })),
  ]);
  assertEquals(await ask({ client }), "42");
  assertEquals(seen.length, 3);
});

function broken(): Promise<Response> {
  return Promise.reject(new TypeError("connection reset"));
}

Deno.test("remoteA2aAgent() continues after failures of the connection", async () => {
  const { client, seen } = script([
    stream(working),
    broken,
    broken,
    stream(...answer, completed),
    json(taskOf("COMPLETED", { artifacts: ARTIFACTS })),
  ]);
  assertEquals(await ask({ client }), "42");
  assertEquals(seen.length, 5);
});

Deno.test("remoteA2aAgent() gives up after six consecutive failures", async () => {
  const { client, seen } = script([
    stream(working),
    broken,
    broken,
    broken,
    broken,
    broken,
    broken,
  ]);
  const error = await assertRejects(() => ask({ client }), ToolError);
  assertEquals(
    error.content,
    'Agent "The_Oracle_" failed: Cannot reach the agent at https://oracle.example: connection reset',
  );
  assertEquals(seen.length, 7);
});

Deno.test("remoteA2aAgent() sends a message again only if the agent promises one task", async () => {
  const once = script([broken]);
  await assertRejects(() => ask({ client: once.client }), ToolError, "connection reset");
  assertEquals(remoteA2aAgent({ client: once.client }).annotations, { openWorld: true });

  const twice = script([
    broken,
    stream(working, ...answer, completed),
    json(taskOf("COMPLETED", { artifacts: ARTIFACTS })),
  ], UNIQUE);
  assertEquals(await ask({ client: twice.client }), "42");
  const [first, second] = twice.seen.map(({ init }) => init);
  assertEquals(first?.body, second?.body);
  assertEquals(new Headers(first?.headers).get("a2a-extensions"), A2A_UNIQUE_MESSAGE_IDS);
  const { annotations } = remoteA2aAgent({ client: twice.client });
  assertEquals(annotations, { openWorld: true, idempotent: true });
});

Deno.test("remoteA2aAgent() does not repeat a message after an empty stream without the promise", async () => {
  const { calls, client } = script([stream()]);
  await assertRejects(
    () => ask({ client }),
    ToolError,
    'Agent "The_Oracle_" failed: The agent has ended the stream without a response',
  );
  assertEquals(calls(), ["POST /message:stream"]);
});

Deno.test("remoteA2aAgent() gives up after six empty streams", async () => {
  const empty = Array.from({ length: 6 }, () => stream());
  const { calls, client } = script(empty, UNIQUE);
  await assertRejects(() => ask({ client }), ToolError, "without a response");
  assertEquals(calls().length, 6);
  const repeated = script([
    stream(),
    stream(working, ...answer, completed),
    json(taskOf("COMPLETED", { artifacts: ARTIFACTS })),
  ], UNIQUE);
  assertEquals(await ask({ client: repeated.client }), "42");
});

Deno.test("remoteA2aAgent() derives the id of the message from the idempotency key", async () => {
  const ids: unknown[] = [];
  for (const idempotencyKey of ["k1", "k1", "k2"]) {
    const { client, seen } = script([stream(working, ...answer, completed)]);
    await ask({ client }, { idempotencyKey });
    ids.push(JSON.parse(String(seen[0]?.init.body)).message.messageId);
  }
  assertEquals(ids[0], ids[1]);
  assert(ids[0] !== ids[2]);
});

for (const status of ["input_required", "auth_required"]) {
  Deno.test(`remoteA2aAgent() returns an object for a task with status ${status}`, async () => {
    let isCancelled = false;
    const updates = [working, statusOf(status.toUpperCase(), "Which one?")];
    const open = () =>
      openStream(updates.map((each) => JSON.stringify(each)), () => void (isCancelled = true));
    const { client, seen } = script([open]);
    assertEquals(await ask({ client }), { status, message: "Which one?", taskId: "t1" });
    assertEquals([isCancelled, seen.length], [true, 1]);
  });
}

for (const status of ["failed", "rejected", "canceled"]) {
  Deno.test(`remoteA2aAgent() throws for a task with status ${status}`, async () => {
    const text = `No\u202e luck${"!".repeat(1000)}`;
    const { client } = script([stream(working, ...answer, statusOf(status.toUpperCase(), text))]);
    const error = await assertRejects(() => ask({ client, name: "ask" }), ToolError);
    const expected = `No\\u{202e} luck${"!".repeat(992)}…`;
    assertEquals(error.content, `Agent "ask" ended with status "${status}": ${expected}`);
  });
}

Deno.test("remoteA2aAgent() throws for a completed task without a result", async () => {
  const { client } = script([stream(working, completed)]);
  const error = await assertRejects(() => ask({ client }), ToolError);
  assertEquals(error.content, 'Agent "The_Oracle_" ended with status "completed"');
});

Deno.test("remoteA2aAgent() throws the error of the agent", async () => {
  const error = { code: 400, message: "Not today", details: [{ reason: "UNSUPPORTED_OPERATION" }] };
  const { client } = script([json({ error }, 400)]);
  const thrown = await assertRejects(() => ask({ client }), ToolError);
  assertEquals(thrown.content, 'Agent "The_Oracle_" failed: Not today');
});

Deno.test("remoteA2aAgent() limits the length of a result", async () => {
  const text = artifactOf([{ text: "0123456789" }]);
  const more = artifactOf([{ text: "abc" }, { data: 1 }], true);
  const ask10 = async (...updates: readonly object[]): Promise<JsonValue> =>
    await ask({
      client: script([stream(working, ...updates, completed)]).client,
      maxResultChars: 10,
    });
  const omitted = "\n\n[The rest of the result is omitted.]";
  assertEquals(await ask10(text), "0123456789");
  assertEquals(await ask10(text, more), `0123456789${omitted}`);
  assertEquals(await ask10(artifactOf([{ text: "012345678\u{1f600}" }])), `012345678${omitted}`);
  // A replaced artifact does not count.
  assertEquals(await ask10(text, more, artifactOf([{ text: "42" }]), text), "0123456789");
  const data = artifactOf([{ data: "0123456789" }]);
  await assertRejects(() => ask10(data), ToolError, "its result is too long");
});

Deno.test("remoteA2aAgent() cancels the task when the run is aborted", async () => {
  const reason = new Error("stop");
  const controller = new AbortController();
  const { calls, client } = script([
    () => openStream([JSON.stringify(working)]),
    json(taskOf("CANCELED")),
  ]);
  const { signal } = controller;
  const report = () => controller.abort(reason);
  assertEquals(await assertRejects(() => ask({ client }, { signal, report })), reason);
  assertEquals(calls(), ["POST /message:stream", "POST /tasks/t1:cancel"]);

  const failing = script([() => openStream([JSON.stringify(working)]), broken]);
  const second = new AbortController();
  const options = { signal: second.signal, report: () => second.abort(reason) };
  assertEquals(await assertRejects(() => ask({ client: failing.client }, options)), reason);
});

Deno.test("remoteA2aAgent() takes the name and the description from the card", () => {
  const { client } = script([], { description: "x".repeat(1001) });
  const { description, name } = remoteA2aAgent({ client });
  assertEquals([name, description], ["The_Oracle_", `${"x".repeat(1000)}…`]);
  const own = remoteA2aAgent({ client, name: "ask", description: "Asks" });
  assertEquals([own.name, own.description], ["ask", "Asks"]);
  const nameless = script([], { name: "神託" });
  assertThrows(() => remoteA2aAgent({ client: nameless.client }), TypeError, '"name" must be set');
  assertThrows(
    () => remoteA2aAgent({ client: {} as unknown as A2aClient }),
    TypeError,
    '"client" must be an A2aClient',
  );
});

Deno.test("remoteA2aAgent() starts one task of a2aHandler for a call that is repeated", async () => {
  await using clerk = serveClerk();
  const { capabilities } = clerk.handler;
  const client = new A2aClient({ ...CARD, capabilities }, {
    allowedOrigins: ["https://oracle.example"],
    fetch: (url, init) =>
      clerk.handler(new Request(url, init), { principal: { subject: "alice" } }),
  });
  for (const idempotencyKey of ["k1", "k1", "k2"]) {
    assertEquals(await ask({ client }, { idempotencyKey }), "You said: 6 * 7?");
  }
  assertEquals((await client.listTasks()).totalSize, 2);
});
