import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { AgentStopReason } from "../shared/output.ts";
import type { LiveEvent } from "../log/live_run.ts";
import type { RunResult } from "../loop/run_result.ts";
import type { ServedAgent, ServedRun, ServedRunState } from "../serve/contracts.ts";
import { a2aHandler } from "./a2a_handler.ts";
import { toTaskState } from "./task_state.ts";
import { readUpdates } from "./task_updates.ts";
import {
  ask,
  call,
  idOf,
  message,
  pick,
  readStream,
  rpc,
  serveClerk,
  stateOf,
} from "./testdata/served_clerk.ts";
import type { A2aArtifact, StreamResponse } from "./types.ts";

/** Returns the kind and the essential content of an update. */
function shorten(update: unknown): string {
  const task = pick(update, "task");
  if (task !== undefined) return `task ${stateOf(task)}`;
  const status = pick(update, "statusUpdate");
  if (status !== undefined) return `status ${stateOf(status)}`;
  const { append, artifact, lastChunk } = Object(pick(update, "artifactUpdate"));
  const flags = `${append ? " append" : ""}${lastChunk ? " last" : ""}`;
  return `artifact${flags} ${JSON.stringify(artifact.parts[0].text)}`;
}

async function stream(response: Response): Promise<readonly string[]> {
  const updates = await Array.fromAsync(readStream(response));
  return updates.map((update) => shorten(pick(update, "result")));
}

Deno.test("a stream extends the artifact and ends with the task", async () => {
  await using clerk = serveClerk();
  const response = await rpc(clerk, "SendStreamingMessage", message("slow"));
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  const updates: string[] = [];
  for await (const update of readStream(response)) {
    updates.push(shorten(pick(update, "result")));
    // The model waits until the first part of its text has been received.
    if (updates.at(-1)?.includes("said: ")) clerk.gate.release();
  }
  const texts = updates.filter((each) => each.startsWith("artifact"));
  assertMatch(texts[0] ?? "", /^artifact "You /);
  assertEquals(texts.slice(-2), ['artifact append "slow"', 'artifact append last ""']);
  assertEquals([updates[0], updates.at(-1)], ["task WORKING", "status COMPLETED"]);
});

Deno.test("the text of a further model call replaces the artifact", async () => {
  await using clerk = serveClerk();
  const updates = await stream(await rpc(clerk, "SendStreamingMessage", message("tell twice")));
  assertEquals(updates.slice(0, 2), ["task WORKING", 'artifact "Let me see"']);
  assertMatch(updates[2] ?? "", /^artifact "Result: /);
  assertEquals(updates.slice(-2), ['artifact append last ""', "status COMPLETED"]);
});

Deno.test("a result with a file is sent as a whole at the end", async () => {
  await using clerk = serveClerk();
  const updates = await stream(await rpc(clerk, "SendStreamingMessage", message("file")));
  assertEquals(updates.slice(-2), ['artifact last "You said: file"', "status COMPLETED"]);
});

Deno.test("the stream of a message ends when the task requires input, and a subscription does not", async () => {
  await using clerk = serveClerk();
  const first = await stream(await rpc(clerk, "SendStreamingMessage", message("ask")));
  assertEquals(first, ["task WORKING", 'artifact "Let me see"', "status INPUT_REQUIRED"]);
  const { tasks: [task] } = Object(await call(clerk, "ListTasks", {}));
  const subscription = readStream(await rpc(clerk, "SubscribeToTask", { id: task.id }));
  const { value } = await subscription.next();
  assertEquals(shorten(pick(value, "result")), "task INPUT_REQUIRED");
  await ask(clerk, "left", { rest: { taskId: task.id } });
  const rest = await Array.fromAsync(subscription, (update) => shorten(pick(update, "result")));
  assertEquals(rest.filter((each) => each.startsWith("status")), [
    "status WORKING",
    "status COMPLETED",
  ]);
});

Deno.test("the stream of a second message continues the task", async () => {
  await using clerk = serveClerk();
  const taskId = idOf(await ask(clerk, "ask"));
  const updates = await stream(
    await rpc(clerk, "SendStreamingMessage", message("left", { taskId })),
  );
  assertEquals(updates.at(-1), "status COMPLETED");
  assertEquals(updates.includes("status INPUT_REQUIRED"), false);
});

Deno.test("the stream of a message stays open while the task waits for an approval", async () => {
  await using clerk = serveClerk();
  const updates = readStream(await rpc(clerk, "SendStreamingMessage", message("pay")));
  const states: string[] = [];
  for await (const update of updates) {
    const state = shorten(pick(update, "result"));
    if (state.startsWith("status")) states.push(state);
    if (state !== "status AUTH_REQUIRED") continue;
    const id = String(pick(update, "result", "statusUpdate", "taskId"));
    const run = await clerk.served.get({ subject: "alice" }, id);
    const [wait] = run?.state.waitingFor ?? [];
    await run?.input(wait?.key ?? "", { decision: "approve" });
  }
  assertEquals(states, ["status AUTH_REQUIRED", "status WORKING", "status COMPLETED"]);
});

Deno.test("two readers of a task receive the same artifact, also the later one", async () => {
  await using clerk = serveClerk();
  const first = readStream(await rpc(clerk, "SendStreamingMessage", message("slow")));
  const { value } = await first.next();
  const id = String(pick(value, "result", "task", "id"));
  await clerk.gate.reached;
  const second = readStream(await rpc(clerk, "SubscribeToTask", { id }));
  await second.next();
  clerk.gate.release();
  const texts = async (updates: AsyncIterable<unknown>): Promise<string> => {
    let artifact: A2aArtifact | undefined;
    for await (const update of updates) {
      artifact = apply(artifact, Object(pick(update, "result")));
    }
    return textOf(artifact);
  };
  assertEquals(await texts(first), "You said: slow");
  assertEquals(await texts(second), "You said: slow");
});

Deno.test("comments keep a stream open while a task sends nothing", async () => {
  await using clerk = serveClerk({ keepAliveMs: 1 });
  const response = await rpc(clerk, "SendStreamingMessage", message("slow"));
  let text = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.includes(": keep-alive\n\n")) clerk.gate.release();
  }
  assertMatch(text, /TASK_STATE_COMPLETED[^\n]*\n\n$/);
});

Deno.test("a failure of a stream is its last event", async () => {
  const state: ServedRunState = { status: "running", waitingFor: [], updatedAt: 0 };
  const run: ServedRun = {
    ...fakeRun([], state),
    // deno-lint-ignore require-yield
    async *events() {
      throw new Error("secret");
    },
  };
  const errors: unknown[] = [];
  const agent: ServedAgent = {
    start: () => Promise.resolve(run),
    get: () => Promise.resolve(run),
    list: () => Promise.resolve({ runs: [] }),
    messages: () => Promise.resolve([]),
  };
  const handler = a2aHandler(agent, { onError: (error) => errors.push(error) });
  const updates = await Array.fromAsync(
    readStream(await rpc({ handler }, "SendStreamingMessage", message("a"))),
  );
  assertEquals(updates.at(-1), {
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32603, message: "An internal error occurred" },
  });
  assertEquals(errors.length, 1);
});

/** Applies an update to an artifact, as a client does. */
function apply(artifact: A2aArtifact | undefined, update: StreamResponse): A2aArtifact | undefined {
  if (!("artifactUpdate" in update)) return artifact;
  const { append, artifact: next } = update.artifactUpdate;
  if (append !== true || artifact === undefined) return next;
  return { ...artifact, parts: [...artifact.parts, ...next.parts] };
}

function textOf(artifact: A2aArtifact | undefined): string {
  return (artifact?.parts ?? []).map((part) => "text" in part ? part.text : "").join("");
}

const origin = { runId: "r", path: ["clerk"], at: 1 };
const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

function fakeRun(events: readonly LiveEvent["event"][], end: ServedRunState): ServedRun {
  return {
    id: "t",
    sessionId: "c",
    startedAt: 0,
    metadata: {},
    state: { status: "running", waitingFor: [], updatedAt: 0 },
    async *events() {
      for (const [index, event] of events.entries()) yield { cursor: `1.${index}`, event };
      await Promise.resolve();
    },
    settled: () => Promise.resolve(end),
    input: () => Promise.resolve(false),
    cancel: () => Promise.resolve(false),
  };
}

function done(finalText: string, stopReason: AgentStopReason = "model_stop"): ServedRunState {
  const result = { finalText, hasAnswer: true, stopReason, totalUsage: usage };
  return { status: "done", waitingFor: [], updatedAt: 9, result };
}

function read(run: ServedRun): Promise<readonly StreamResponse[]> {
  const { signal } = new AbortController();
  const refresh = (): Promise<ServedRun> => Promise.resolve(run);
  return Array.fromAsync(
    readUpdates(run, { signal, until: "ended", withApprovals: false, refresh }),
  );
}

Deno.test("every split of the texts into events gives the same artifact", async () => {
  const delta = fc.string({ maxLength: 4 });
  const modelCall = fc.record({
    deltas: fc.array(delta, { maxLength: 4 }),
    isRetried: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(modelCall, { minLength: 1, maxLength: 3 }), async (calls) => {
      const events = calls.flatMap(({ deltas, isRetried }, iteration): LiveEvent["event"][] => [
        { ...origin, type: "model_started", iteration, modelId: "m", attempt: 0 },
        ...isRetried
          ? [
            { ...origin, type: "text_delta" as const, iteration, text: "lost" },
            {
              ...origin,
              type: "model_retry" as const,
              iteration,
              attempt: 1,
              delayMs: 0,
              reason: "busy",
            },
          ]
          : [],
        ...deltas.map((text) => ({ ...origin, type: "text_delta" as const, iteration, text })),
        // The text of a sub-agent is not part of the artifact.
        { ...origin, path: ["clerk", "helper"], type: "text_delta", iteration, text: "hidden" },
      ]);
      const text = calls.at(-1)?.deltas.join("") ?? "";
      const updates = await read(fakeRun(events, done(text)));
      const artifact = updates.reduce<A2aArtifact | undefined>(apply, undefined);
      assertEquals(textOf(artifact), text);
      const last = updates.filter((update) =>
        "artifactUpdate" in update && update.artifactUpdate.lastChunk === true
      );
      assertEquals(last.length, artifact === undefined ? 0 : 1);
      assertEquals(JSON.stringify(updates).includes("hidden"), false);
    }),
  );
});

Deno.test("a subscriber receives only later states, whatever the clocks say", async () => {
  const path = ["clerk"];
  const signal = { kind: "signal", key: "Which one?", path, toolName: "ask" } as const;
  const waiting: ServedRunState = { status: "waiting", waitingFor: [signal], updatedAt: 1000 };
  const running: ServedRunState = { status: "running", waitingFor: [], updatedAt: 2000 };
  const event = { runId: "r", path: [], type: "run_state" } as const;
  const run = {
    ...fakeRun([
      { ...event, state: "running", at: 5000 },
      { ...event, state: "waiting", at: 5001 },
      { ...event, state: "running", at: 10 },
      { ...event, state: "ended", at: 11 },
    ], done("")),
    state: waiting,
  };
  const current = [waiting, waiting, running];
  const updates = await Array.fromAsync(readUpdates(run, {
    signal: new AbortController().signal,
    until: "ended",
    withApprovals: false,
    refresh: () => Promise.resolve({ ...run, state: current.shift() ?? running }),
  }));
  assertEquals(updates.map(shorten), [
    "task INPUT_REQUIRED",
    "status WORKING",
    "status COMPLETED",
  ]);
});

Deno.test("the text of an agent with an output schema is not its artifact", async () => {
  const end = done('{"a":1}');
  const result: RunResult = {
    finalText: "x",
    hasAnswer: true,
    stopReason: "model_stop",
    totalUsage: usage,
    value: { a: 1 },
  };
  const updates = await read(fakeRun([
    { ...origin, type: "run_started", agentName: "clerk", modelId: "m", outputType: "json" },
    { ...origin, type: "text_delta", iteration: 0, text: "{" },
  ], { ...end, result }));
  assertEquals(
    updates.map((update) => "artifactUpdate" in update ? update.artifactUpdate.artifact.parts : []),
    [
      [],
      [{ data: { a: 1 }, mediaType: "application/json" }],
      [],
    ],
  );
});

Deno.test("each state of a run is a state of its task", () => {
  const rows: Readonly<Record<AgentStopReason, string>> = {
    model_stop: "COMPLETED",
    tool_stop: "COMPLETED",
    custom_condition: "COMPLETED",
    content_filtered: "REJECTED",
    max_iterations: "FAILED",
    max_total_tokens: "FAILED",
    budget_exceeded: "FAILED",
    repeated_tool_calls: "FAILED",
    output_truncated: "FAILED",
    output_invalid: "FAILED",
    terminated: "FAILED",
    aborted: "CANCELED",
    approval_pending: "CANCELED",
    waiting: "CANCELED",
  };
  for (const stopReason of Object.values(AgentStopReason)) {
    assertEquals(toTaskState(done("", stopReason)), `TASK_STATE_${rows[stopReason]}`);
  }
  const at = { waitingFor: [], updatedAt: 0 };
  const wait = { key: "k", path: ["a"], toolName: "t" };
  const states: readonly (readonly [ServedRunState, string])[] = [
    [{ ...at, status: "queued" }, "SUBMITTED"],
    [{ ...at, status: "running" }, "WORKING"],
    [{ ...at, status: "failed" }, "FAILED"],
    [{ ...at, status: "cancelled" }, "CANCELED"],
    [{ ...at, status: "done" }, "FAILED"],
    [{ ...at, status: "waiting", waitingFor: [{ ...wait, kind: "signal" }] }, "INPUT_REQUIRED"],
    [
      { ...at, status: "waiting", waitingFor: [{ ...wait, kind: "time", due: "2026-01-01" }] },
      "WORKING",
    ],
  ];
  for (const [state, expected] of states) {
    assertEquals(toTaskState(state), `TASK_STATE_${expected}`);
  }
});
