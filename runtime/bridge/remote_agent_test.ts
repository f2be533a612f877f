import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { remoteAgent, type RemoteAgentOptions, type RequestSender } from "../bridge.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import type { LoopEvent } from "../loop/events.ts";
import type { JsonValue } from "../shared/json.ts";
import { asRecord } from "@parley/internal/json";
import type { ToolResult } from "../shared/model.ts";
import { createGate, scriptedModel } from "../testing.ts";

type Request = Parameters<RequestSender["request"]>;

const OPTIONS = {
  name: "oracle",
  description: "Answers questions",
  recipient: "did:web:oracle.example",
};

/**
 * Sends a task to an agent that returns the given response. Returns the result of the tool call,
 * the request and the events.
 */
async function askOnce(
  respond: (...request: Request) => unknown,
  options: Partial<RemoteAgentOptions> = {},
): Promise<{ result: ToolResult | undefined; requests: Request[]; events: LoopEvent[] }> {
  const requests: Request[] = [];
  const events: LoopEvent[] = [];
  const peer: RequestSender = {
    request: async (...request) => {
      requests.push(request);
      return await respond(...request);
    },
  };
  const model = scriptedModel([
    { calls: [{ toolName: "oracle", input: { task: "6 * 7?" } }] },
    { text: "Done" },
  ]);
  await using agent = new ToolLoopAgent({
    name: "a",
    model,
    tools: [remoteAgent({ ...OPTIONS, peer, ...options })],
    onEvent: (event) => events.push(event),
    onError: () => {},
  });
  const { iterations } = await agent.run("Ask");
  return { result: iterations[0]?.toolResults[0], requests, events };
}

Deno.test("remoteAgent() sends the task with an id and returns the text of the response", async () => {
  const { result, requests: [request] } = await askOnce(
    () => ({ status: "model_stop", text: "42" }),
    { timeoutMs: 5, maxTotalMs: 50 },
  );
  assertEquals(result?.output, { type: "text", value: "42" });
  const [recipient, payload, { timeoutMs, maxTotalMs, signal } = {}] = request ?? [];
  const { content, taskId } = asRecord(payload);
  assertEquals([recipient, content, timeoutMs, maxTotalMs], [OPTIONS.recipient, "6 * 7?", 5, 50]);
  assertMatch(String(taskId), /^[\w-]{22}$/);
  assert(signal instanceof AbortSignal);
});

Deno.test("remoteAgent() returns the value of a response that has a value", async () => {
  const { result } = await askOnce(() => ({ status: "model_stop", text: "{}", value: { n: 42 } }));
  assertEquals(result?.output, { type: "json", value: { n: 42 } });
});

const FAILURES: readonly (readonly [response: unknown, text: RegExp])[] = [
  [null, /returned an invalid response: the payload must be an object/],
  [{ status: "done", text: "42" }, /returned an invalid response: "status" must be/],
  [{ status: "model_stop" }, /returned an invalid response: "text" must be/],
  [{ status: "model_stop", text: "" }, /ended with status "model_stop"/],
  [{ status: "output_invalid", text: "42" }, /ended with status "output_invalid"/],
  [{ status: "failed", text: "42" }, /ended with status "failed"/],
  [{ status: "cancelled", text: "" }, /ended with status "cancelled"/],
  [{ status: "rejected", text: "", reason: "no" }, /ended with status "rejected": no/],
  [{ status: "waiting", text: "" }, /ended with status "waiting"/],
  [
    { status: "approval_pending", text: "", pending: [{ kind: "approval", key: "k1" }] },
    /ended with status "approval_pending"; its operator must decide on k1/,
  ],
];

for (const [response, text] of FAILURES) {
  Deno.test(`remoteAgent() returns an error to the model for the response ${JSON.stringify(response)}`, async () => {
    const { result } = await askOnce(() => response);
    assertEquals(result?.isError, true);
    assertMatch(JSON.stringify(result?.output).replaceAll('\\"', '"'), text);
  });
}

Deno.test("remoteAgent() reports updates as progress of the tool", async () => {
  const { events } = await askOnce((_recipient, _payload, { onUpdate }) => {
    onUpdate?.({ type: "progress", status: "running" });
    return { status: "model_stop", text: "42" };
  });
  const progress = events.flatMap((event): JsonValue[] =>
    event.type === "tool_progress" ? [event.progress] : []
  );
  assertEquals(progress, [{ type: "progress", status: "running" }]);
});

Deno.test("remoteAgent() sends the same task id if a run repeats the call after an interruption", async () => {
  const journal = new MemoryJournal();
  const ids: unknown[] = [];
  const gate = createGate();
  const controller = new AbortController();
  const run = async (respond: () => unknown, signal?: AbortSignal): Promise<string> => {
    const peer: RequestSender = {
      request: (_recipient, payload) => {
        ids.push(asRecord(payload).taskId);
        return Promise.resolve(respond());
      },
    };
    const turns = [{ calls: [{ toolName: "oracle", input: { task: "x" } }] }, { text: "Done" }];
    const model = scriptedModel(ids.length === 0 ? turns : turns.slice(1));
    await using agent = new ToolLoopAgent({
      name: "a",
      model,
      tools: [remoteAgent({ ...OPTIONS, peer })],
      graceMs: 0,
    });
    const stepRunner = recordSteps(journal);
    const options = { runId: "r1", stepRunner, ...signal && { signal } };
    return (await agent.run("Ask", options)).stopReason;
  };
  const first = run(() => gate.wait(), controller.signal);
  await gate.reached;
  controller.abort();
  assertEquals(await first, "aborted");
  gate.release();
  assertEquals(await run(() => ({ status: "model_stop", text: "42" })), "model_stop");
  assertEquals([ids.length, new Set(ids).size], [2, 1]);
});

Deno.test("remoteAgent() cancels the request if the run is aborted", async () => {
  const aborted = Promise.withResolvers<void>();
  const gate = createGate();
  const controller = new AbortController();
  const peer: RequestSender = {
    request: (_recipient, _payload, { signal }) => {
      signal?.addEventListener("abort", () => aborted.resolve());
      return gate.wait();
    },
  };
  const model = scriptedModel([{ calls: [{ toolName: "oracle", input: { task: "x" } }] }]);
  const tools = [remoteAgent({ ...OPTIONS, peer })];
  await using agent = new ToolLoopAgent({ name: "a", model, tools, onAbort: "throw", graceMs: 0 });
  const running = agent.run("Ask", { signal: controller.signal });
  await gate.reached;
  controller.abort();
  await assertRejects(() => running);
  await aborted.promise;
  gate.release();
});

Deno.test("remoteAgent() throws if an option is invalid", () => {
  const peer: RequestSender = { request: () => Promise.resolve() };
  for (const name of ["name", "description", "recipient"]) {
    assertThrows(() => remoteAgent({ ...OPTIONS, peer, [name]: "" }), TypeError, `"${name}"`);
  }
  const none: unknown = {};
  assertThrows(() => remoteAgent({ ...OPTIONS, peer: none as RequestSender }), TypeError, '"peer"');
  assertThrows(() => remoteAgent({ ...OPTIONS, peer, timeoutMs: 0 }), RangeError, '"timeoutMs"');
});

Deno.test("remoteAgent() reports the first and the newest of many updates", async () => {
  const { events } = await askOnce((_recipient, _payload, { onUpdate }) => {
    for (let index = 0; index < 10_000; index++) onUpdate?.(index);
    return { status: "model_stop", text: "42" };
  });
  const progress = events.flatMap((event) => event.type === "tool_progress" ? event.progress : []);
  assertEquals([progress[0], progress.at(-1)], [0, 9999]);
  assert(progress.length <= 10, `${progress.length} events`);
});
