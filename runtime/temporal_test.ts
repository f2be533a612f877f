import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AgentError, runToolLoop, ToolRegistry } from "./mod.ts";
import { activityModel, activityTools, runModelActivity } from "./temporal.ts";
import { scriptedModel } from "./testing.ts";

const SCHEMA = { type: "object" };

/** A replacement for Temporal's `ApplicationFailure` class. */
class Failure extends Error {
  readonly options: Readonly<Record<string, unknown>>;

  constructor(options: Readonly<Record<string, unknown>>) {
    super(String(options.message));
    this.options = options;
  }

  static create(options: Readonly<Record<string, unknown>>): Failure {
    return new Failure(options);
  }
}

Deno.test("activityModel() and activityTools() reject arguments that are not activities", () => {
  const model = activityModel as (...args: unknown[]) => unknown;
  const tools = activityTools as (...args: unknown[]) => unknown;
  assertThrows(() => model("callModel", { modelId: "m" }), TypeError, '"activity" must be');
  assertThrows(() => model(() => {}), TypeError, '"options" must be');
  assertThrows(() => model(() => {}, { modelId: "" }), TypeError, '"modelId" must be');
  assertThrows(() => tools(undefined, []), TypeError, '"activities" must be');
  assertThrows(() => tools({}, {}), TypeError, '"tools" must be');
  assertThrows(
    () => tools({}, [{ name: "pay", inputSchema: SCHEMA }]),
    TypeError,
    '"activities.pay" must be',
  );
});

Deno.test("activityModel() sends JSON to its activity, and runModelActivity() restores the bytes of a file", async () => {
  const inner = scriptedModel([{ text: "A cat" }]);
  const model = activityModel(
    async (request) => {
      const sent = JSON.parse(JSON.stringify(request));
      return JSON.parse(
        JSON.stringify(await runModelActivity(inner, sent, { ApplicationFailure: Failure })),
      );
    },
    { modelId: "m", provider: "p" },
  );
  const bytes = new Uint8Array([1, 2, 3]);
  const turn = [
    { type: "file", mediaType: "image/png", data: { type: "data", data: bytes } },
  ] as const;
  const output = await runToolLoop({ model, registry: new ToolRegistry() }, turn);
  assertEquals([output.finalText, model.modelId, model.provider], ["A cat", "m", "p"]);
  assertEquals(inner.requests[0]?.messages[0]?.content, [...turn]);
});

Deno.test("activityModel() rejects with the error of the activity, which Temporal has wrapped", async () => {
  const cause = new RangeError("429");
  const failing = () =>
    Promise.reject(new Error("Activity task failed", { cause: new Error("inner", { cause }) }));
  const model = activityModel(failing, { modelId: "m" });
  const error = await assertRejects(
    () => model.generate({ messages: [], tools: [], options: {} }),
    AgentError,
    "inner",
  );
  assertEquals(error.code, "model_error");
});

Deno.test("activityModel() validates the value that its activity returns", async () => {
  const model = activityModel(() => Promise.resolve({ text: "Hello" }), { modelId: "m" });
  await assertRejects(
    () => model.generate({ messages: [], tools: [], options: {} }),
    AgentError,
    '"message" must be an object',
  );
});

Deno.test("runModelActivity() lets Temporal retry only retryable errors, after the delay of the provider", async () => {
  const request = { messages: [], tools: [], options: {} };
  const outcomes = [
    AgentError.modelError("429", { retryable: true, retryAfterMs: 1500 }),
    AgentError.modelError("401"),
  ];
  const seen: unknown[] = [];
  for (const outcome of outcomes) {
    const model = { modelId: "m", generate: () => Promise.reject(outcome) };
    const error = await assertRejects(
      () => runModelActivity(model, request, { ApplicationFailure: Failure }),
      Failure,
    );
    seen.push([error.options.nonRetryable, error.options.nextRetryDelay, error.options.type]);
  }
  assertEquals(seen, [[false, 1500, "AgentError"], [true, undefined, "AgentError"]]);
});

Deno.test("runModelActivity() rejects invalid requests without calling the model", async () => {
  const model = scriptedModel([]);
  const requests = [
    null,
    {},
    { messages: "Hi", tools: [], options: {} },
    { messages: [], tools: [{ name: "pay" }], options: {} },
    { messages: [], tools: [], options: 5 },
    { messages: [{ role: "oracle", content: "" }], tools: [], options: {} },
  ];
  for (const request of requests) {
    const error = await assertRejects(
      () => runModelActivity(model, request, { ApplicationFailure: Failure }),
      Failure,
    );
    assertEquals(error.options.nonRetryable, true);
  }
  assertEquals(model.requests.length, 0);
});

Deno.test("runModelActivity() rejects with the reason of its signal if the activity is cancelled", async () => {
  const reason = new Error("cancelled");
  const model = { modelId: "m", generate: () => Promise.reject(new Error("aborted")) };
  await assertRejects(
    () =>
      runModelActivity(model, { messages: [], tools: [], options: {} }, {
        ApplicationFailure: Failure,
        signal: AbortSignal.abort(reason),
      }),
    Error,
    "cancelled",
  );
});

Deno.test("A tool from activityTools() passes the call to its activity and reports the error of the activity", async () => {
  const calls: unknown[] = [];
  const activities = {
    pay: (...args: unknown[]) => {
      calls.push(args);
      const cause = new Error("No money");
      return Promise.reject(new Error("Activity task failed", { cause }));
    },
  };
  const registry = new ToolRegistry();
  for (const tool of activityTools(activities, [{ name: "pay", inputSchema: SCHEMA }])) {
    registry.register(tool);
  }
  const model = scriptedModel([
    { calls: [{ toolName: "pay", input: { euros: 5 }, toolCallId: "c1" }] },
    { text: "Sorry" },
  ]);
  const { messages } = await runToolLoop(
    { model, registry, runId: "r", agentName: "clerk", onError: () => {} },
    "Pay",
  );
  assertEquals(calls, [[{ euros: 5 }, {
    toolCallId: "c1",
    idempotencyKey: "r/i0/tool/0",
    runId: "r",
    agentName: "clerk",
  }]]);
  assertEquals(JSON.stringify(messages[2]).includes("No money"), true);
});
