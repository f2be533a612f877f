import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { stub } from "@std/testing/mock";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { runSubAgentTask } from "../agent/sub_agent.ts";
import type { LoopEventSink } from "../loop/events.ts";
import { recordSteps } from "../journal/journal.ts";
import { MemoryJournal } from "../journal/memory.ts";
import { runToolLoop } from "../loop/loop.ts";
import type { ToolLoopConfig } from "../loop/options.ts";
import { AgentError } from "../shared/error.ts";
import type { ModelStreamEvent } from "../shared/model.ts";
import { scriptedModel, type ScriptedTurn } from "../testing/scripted_model.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type {
  TelemetryAttributes,
  TelemetryMeter,
  TelemetryOptions,
  TelemetrySpan,
} from "./options.ts";
import { type Telemetry, telemetry } from "./telemetry.ts";

interface Context {
  readonly parent?: FakeSpan;
}

/** A span that records its attributes and status. */
class FakeSpan implements TelemetrySpan {
  readonly children: FakeSpan[] = [];
  readonly attributes: TelemetryAttributes;
  readonly name: string;
  readonly kind: number;
  status: { code: number; message?: string } | undefined;
  ends = 0;

  constructor(name: string, kind: number, attributes: TelemetryAttributes) {
    this.name = name;
    this.kind = kind;
    this.attributes = { ...attributes };
  }

  setAttributes(attributes: TelemetryAttributes): void {
    assertEquals(this.ends, 0);
    Object.assign(this.attributes, attributes);
  }

  setStatus(status: { code: number; message?: string }): void {
    assertEquals(this.ends, 0);
    this.status = status;
  }

  end(): void {
    this.ends++;
  }
}

/** A fake OpenTelemetry API. */
class FakeTelemetry {
  readonly roots: FakeSpan[] = [];
  readonly all: FakeSpan[] = [];
  readonly options: TelemetryOptions<Context, FakeSpan> = {
    tracer: {
      startSpan: (name, { kind, attributes }, { parent }) => {
        const span = new FakeSpan(name, kind, attributes);
        (parent?.children ?? this.roots).push(span);
        this.all.push(span);
        return span;
      },
    },
    trace: { setSpan: (_, span) => ({ parent: span }) },
    // Without a context manager, the context is active only until the step awaits something.
    context: {
      active: () => this.#active,
      with: (context, callback) => {
        const before = this.#active;
        this.#active = context;
        callback();
        this.#active = before;
      },
    },
  };
  #active: Context = {};

  readonly measurements: { name: string; value: number; attributes: TelemetryAttributes }[] = [];
  readonly boundaries: Map<string, readonly number[]> = new Map();
  readonly meter: TelemetryMeter = {
    createHistogram: (name, { advice }) => {
      this.boundaries.set(name, advice.explicitBucketBoundaries);
      return { record: (value, attributes) => this.measure(name, value, attributes) };
    },
    createCounter: (name) => ({
      add: (value, attributes) => this.measure(name, value, attributes),
    }),
  };

  measure(name: string, value: number, attributes: TelemetryAttributes): void {
    this.measurements.push({ name, value, attributes });
  }

  /** Returns the names of all spans, indented by depth. */
  get tree(): string[] {
    const lines = (span: FakeSpan, indent: string): string[] => [
      indent + span.name,
      ...span.children.flatMap((child) => lines(child, `${indent}  `)),
    ];
    return this.roots.flatMap((span) => lines(span, ""));
  }

  find(name: string): FakeSpan {
    const span = this.all.find((candidate) => candidate.name === name);
    assert(span !== undefined, name);
    return span;
  }

  /** Asserts that every span was ended exactly once. */
  assertEnded(): void {
    assertEquals(this.all.filter(({ ends }) => ends !== 1).map(({ name }) => name), []);
  }
}

function registryOf(execute: (input: unknown) => unknown): ToolRegistry {
  const registry = new ToolRegistry();
  registry.register({ name: "look", inputSchema: { type: "object" }, execute });
  return registry;
}

function configOf(
  turns: readonly ScriptedTurn[],
  options: Telemetry,
  rest: Partial<ToolLoopConfig> = {},
): ToolLoopConfig {
  const registry = registryOf(() => "seen");
  return { model: scriptedModel(turns, "m"), registry, agentName: "scout", ...options, ...rest };
}

const LOOK_THEN_ANSWER: readonly ScriptedTurn[] = [
  { calls: [{ toolName: "look", input: { at: "secret" } }] },
  {
    text: "A secret",
    usage: {
      inputTokens: 5,
      outputTokens: 3,
      totalTokens: 8,
      cachedInputTokens: 2,
      cacheWriteTokens: 1,
      reasoningTokens: 2,
    },
  },
];

Deno.test("telemetry() records the provider on the span of the model call", async () => {
  const fake = new FakeTelemetry();
  const model = { ...scriptedModel([{ text: "x" }], "m"), provider: "acme" };
  await runToolLoop(configOf([], telemetry(fake.options), { model }), "go");
  assertEquals(fake.find("chat m").attributes["gen_ai.provider.name"], "acme");
});

Deno.test("telemetry() reports exceptions from the tracer and does not end the run", async () => {
  const reported: unknown[] = [];
  const broken = new Error("exporter is down");
  const fail = (): never => {
    throw broken;
  };
  const fakes: Partial<TelemetryOptions<Context, FakeSpan>>[] = [
    { tracer: { startSpan: fail } },
    { trace: { setSpan: fail } },
    { context: { ...new FakeTelemetry().options.context, active: fail } },
    { context: { ...new FakeTelemetry().options.context, with: fail } },
  ];
  for (const part of fakes) {
    reported.length = 0;
    const onError = (error: unknown) => reported.push(error);
    const spans = telemetry({ ...new FakeTelemetry().options, ...part, onError });
    const output = await runToolLoop(configOf([{ text: "done" }], spans), "go");
    assertEquals(output.finalText, "done");
    assertEquals(reported[0], broken);
  }
});

Deno.test("telemetry() creates spans for a run, its model calls and its tools", async () => {
  const fake = new FakeTelemetry();
  const spans = telemetry({ ...fake.options, attributes: { "gen_ai.conversation.id": "c" } });
  await runToolLoop(
    configOf(LOOK_THEN_ANSWER, spans, { agentDid: "did:x:1", runId: "r" }),
    "secret",
  );
  fake.assertEnded();
  assertEquals(fake.tree, [
    "invoke_agent scout",
    "  chat m",
    "  execute_tool look",
    "  chat m",
  ]);
  const [run, first, tool, second] = fake.all;
  assertEquals(run?.attributes, {
    "gen_ai.conversation.id": "c",
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "scout",
    "parley.agent.did": "did:x:1",
    "parley.run.id": "r",
    "parley.run.stop_reason": "model_stop",
    "gen_ai.usage.input_tokens": 6,
    "gen_ai.usage.output_tokens": 4,
  });
  const { "gen_ai.response.time_to_first_chunk": _, ...chat } = first?.attributes ?? {};
  assertEquals(chat, {
    "gen_ai.conversation.id": "c",
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "unknown",
    "gen_ai.request.model": "m",
    "gen_ai.request.stream": true,
    "gen_ai.response.finish_reasons": ["tool-calls"],
    "gen_ai.usage.input_tokens": 1,
    "gen_ai.usage.output_tokens": 1,
  });
  const { "gen_ai.response.time_to_first_chunk": _time, ...answer } = second?.attributes ?? {};
  assertEquals(answer, {
    ...chat,
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 5,
    "gen_ai.usage.output_tokens": 3,
    "gen_ai.usage.cache_read.input_tokens": 2,
    "gen_ai.usage.cache_write.input_tokens": 1,
    "gen_ai.usage.reasoning.output_tokens": 2,
  });
  assertEquals(tool?.attributes, {
    "gen_ai.conversation.id": "c",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "look",
    "gen_ai.tool.call.id": "call_0_0",
    "gen_ai.tool.type": "function",
    "gen_ai.agent.name": "scout",
  });
  assertEquals(fake.all.map(({ kind }) => kind), [0, 2, 0, 2]);
  assertEquals(fake.all.map(({ status }) => status), [undefined, undefined, undefined, undefined]);
});

Deno.test("telemetry() records no content by default", async () => {
  const fake = new FakeTelemetry();
  await runToolLoop(configOf(LOOK_THEN_ANSWER, telemetry(fake.options)), "secret");
  assert(!JSON.stringify(fake.all.map(({ attributes }) => attributes)).includes("secret"));
});

Deno.test("telemetry() records content in the format of the OpenTelemetry conventions if captureContent is true", async () => {
  const fake = new FakeTelemetry();
  const spans = telemetry({ ...fake.options, captureContent: true });
  await runToolLoop(configOf(LOOK_THEN_ANSWER, spans, { systemPrompt: "Be brief" }), "Where?");
  const json = (span: FakeSpan | undefined, name: string) =>
    JSON.parse(String(span?.attributes[name]));
  const [run, first, tool] = fake.all;
  assertEquals(json(run, "gen_ai.input.messages"), [
    { role: "system", parts: [{ type: "text", content: "Be brief" }] },
    { role: "user", parts: [{ type: "text", content: "Where?" }] },
  ]);
  assertEquals(json(run, "gen_ai.output.messages"), [
    { role: "assistant", parts: [{ type: "text", content: "A secret" }] },
  ]);
  assertEquals(json(first, "gen_ai.output.messages"), [{
    role: "assistant",
    parts: [{ type: "tool_call", id: "call_0_0", name: "look", arguments: { at: "secret" } }],
  }]);
  assertEquals(json(tool, "gen_ai.tool.call.arguments"), { at: "secret" });
  assertEquals(tool?.attributes["gen_ai.tool.call.result"], "seen");
});

Deno.test("telemetry() converts every type of message part", async () => {
  const fake = new FakeTelemetry();
  const spans = telemetry({ ...fake.options, captureContent: true });
  const file = {
    type: "file",
    mediaType: "image/png",
    data: { type: "data", data: "AQID" },
  } as const;
  const turns: ScriptedTurn[] = [{ content: [{ type: "reasoning", text: "hm" }, file] }];
  await runToolLoop(
    configOf(turns, spans, {
      messages: [
        { role: "user", content: [file] },
        {
          role: "assistant",
          content: [{
            type: "tool-call",
            toolCallId: "c",
            toolName: "look",
            input: {},
            rawInput: "{bad",
          }],
        },
        {
          role: "tool",
          content: [{
            type: "tool-result",
            toolCallId: "c",
            toolName: "look",
            output: { type: "content", value: [{ type: "text", text: "a" }, file] },
            isError: false,
            durationMs: 0,
          }],
        },
      ],
    }),
    "?",
  );
  const [run, chat] = fake.all;
  const omitted = { type: "omitted_file", mime_type: "image/png" };
  assertEquals(JSON.parse(String(run?.attributes["gen_ai.input.messages"])), [
    { role: "user", parts: [omitted] },
    {
      role: "assistant",
      parts: [{ type: "tool_call", id: "c", name: "look", arguments: "{bad" }],
    },
    {
      role: "tool",
      parts: [{
        type: "tool_call_response",
        id: "c",
        response: [{ type: "text", content: "a" }, omitted],
      }],
    },
    { role: "user", parts: [{ type: "text", content: "?" }] },
  ]);
  assertEquals(JSON.parse(String(chat?.attributes["gen_ai.output.messages"]))[0].parts, [
    { type: "reasoning", content: "hm" },
    omitted,
  ]);
});

Deno.test("telemetry() truncates long content and accepts content that is not serializable", async () => {
  const fake = new FakeTelemetry();
  const spans = telemetry({ ...fake.options, captureContent: true, maxContentLength: 12 });
  const turns = [{ calls: [{ toolName: "look", input: { big: 1n } }] }, { text: "x".repeat(50) }];
  const { generate } = scriptedModel(turns);
  await runToolLoop(configOf([], spans, { model: { modelId: "m", generate } }), "?");
  fake.assertEnded();
  for (const { attributes } of fake.all) {
    for (const [name, value] of Object.entries(attributes)) {
      if (/messages|arguments|result$/.test(name)) assert(String(value).length <= 12, name);
    }
  }
  for (const maxContentLength of [0, 1.5, -1, NaN]) {
    assertThrows(() => telemetry({ ...fake.options, maxContentLength }), RangeError);
  }
});

Deno.test("telemetry() sets the error type of failed tools", async () => {
  const fake = new FakeTelemetry();
  const registry = registryOf(() => {
    throw new Error("no light");
  });
  const turns = [
    { calls: [{ toolName: "look" }, { toolName: "unknown" }] },
    { text: "done" },
  ];
  await runToolLoop(configOf(turns, telemetry(fake.options), { registry }), "?");
  fake.assertEnded();
  // A tool call that is not executed has no span.
  assertEquals(fake.tree, ["invoke_agent scout", "  chat m", "  execute_tool look", "  chat m"]);
  const tool = fake.find("execute_tool look");
  assertEquals(tool.attributes["error.type"], "tool_execution_failed");
  assertEquals(tool.status, { code: 2 });
});

Deno.test("telemetry() creates one span for a model call with retries, and marks a failed run", async () => {
  const fake = new FakeTelemetry();
  const busy = AgentError.modelError("busy", { retryable: true, retryAfterMs: 0 });
  const turns = [{ error: busy }, { error: AgentError.modelError("gone") }];
  const work = runToolLoop(configOf(turns, telemetry(fake.options)), "?");
  await assertRejects(() => work, AgentError, "gone");
  fake.assertEnded();
  assertEquals(fake.tree, ["invoke_agent scout", "  chat m"]);
  for (const { attributes, status } of fake.all) {
    assertEquals(attributes["error.type"], "model_error");
    assertEquals(status?.code, 2);
    assert(status?.message?.includes("gone"));
  }
});

Deno.test("telemetry() records the time to the first chunk of a streamed response", async () => {
  const fake = new FakeTelemetry();
  await runToolLoop(configOf([{ text: "Hello" }], telemetry(fake.options)), "?");
  const chat = fake.find("chat m");
  assertEquals(chat.attributes["gen_ai.request.stream"], true);
  assert(Number(chat.attributes["gen_ai.response.time_to_first_chunk"]) >= 0);
});

Deno.test("telemetry() ends open spans when a run is aborted", async () => {
  const fake = new FakeTelemetry();
  const controller = new AbortController();
  const model = {
    modelId: "m",
    generate: () => Promise.reject(new Error("not used")),
    async *stream(): AsyncGenerator<ModelStreamEvent> {
      controller.abort();
      await new Promise(() => {});
      yield { type: "text-delta", delta: "never" };
    },
  };
  const spans = telemetry(fake.options);
  const output = await runToolLoop(
    configOf([], spans, { model, signal: controller.signal }),
    "?",
  );
  assertEquals(output.stopReason, "aborted");
  fake.assertEnded();
  assertEquals(fake.find("chat m").attributes["error.type"], "aborted");
  assertEquals(fake.find("invoke_agent scout").attributes["parley.run.stop_reason"], "aborted");
});

Deno.test("telemetry() uses the tool call's span as the parent of a sub-agent's run span", async () => {
  const fake = new FakeTelemetry();
  const boss: ToolLoopAgent = new ToolLoopAgent({
    name: "boss",
    model: scriptedModel(
      [{ calls: [{ toolName: "ask" }, { toolName: "ask" }] }, { text: "42" }],
      "m",
    ),
  });
  boss.registry.register({
    name: "ask",
    inputSchema: { type: "object" },
    execute: async (_, context) => {
      const config = { name: "expert", model: scriptedModel([{ text: "42" }], "n") };
      return (await runSubAgentTask(boss, config, "?", { context })).finalText;
    },
  });
  await boss.initialize();
  await boss.run("?", telemetry(fake.options));
  await boss.terminate();
  fake.assertEnded();
  const below = ["  execute_tool ask", "    invoke_agent expert", "      chat n"];
  assertEquals(fake.tree, ["invoke_agent boss", "  chat m", ...below, ...below, "  chat m"]);
});

Deno.test("telemetry() ends every span exactly once", async () => {
  const call = fc.record({ toolName: fc.constantFrom("look", "fail", "none") });
  const turn = fc.oneof(
    fc.record({ calls: fc.array(call, { maxLength: 3 }), text: fc.string() }),
    fc.constantFrom("busy", "gone").map((words) => ({
      error: AgentError.modelError(words, { retryable: words === "busy", retryAfterMs: 0 }),
    })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 5 }), fc.boolean(), async (turns, abort) => {
      const fake = new FakeTelemetry();
      const controller = new AbortController();
      const registry = registryOf(() => abort ? controller.abort() : "seen");
      registry.register({
        name: "fail",
        inputSchema: {},
        execute: () => Promise.reject(new Error("failed")),
      });
      const spans = telemetry({ ...fake.options, captureContent: true });
      const config = configOf(turns, spans, { registry, signal: controller.signal });
      // A run also fails if the scripted model has no turns left.
      await runToolLoop(config, "?").catch(() => {});
      fake.assertEnded();
      assertEquals(fake.roots.map(({ name }) => name), ["invoke_agent scout"]);
    }),
    propertyRuns(60),
  );
});

Deno.test("telemetry() ends the spans of a run whose other listener throws", async () => {
  const fake = new FakeTelemetry();
  const agent = new ToolLoopAgent({
    name: "scout",
    model: scriptedModel([{ text: "done" }]),
    ...telemetry(fake.options),
  });
  await agent.initialize();
  const onEvent: LoopEventSink = ({ type }) => {
    if (type === "model_started") throw new Error("broken");
  };
  await assertRejects(() => agent.run("go", { onEvent }), AgentError, "broken");
  await agent.terminate();
  fake.assertEnded();
  assertEquals(fake.roots[0]?.attributes["error.type"], "core");
});

Deno.test("telemetry() records the output type of a run with an output schema", async () => {
  const fake = new FakeTelemetry();
  const answer: ScriptedTurn = { calls: [{ toolName: "final_answer" }] };
  await runToolLoop(
    configOf([answer], telemetry(fake.options), { output: { type: "object" } }),
    "Go",
  );
  assertEquals(fake.tree, ["invoke_agent scout", "  chat m"]);
  assertEquals(fake.find("invoke_agent scout").attributes["gen_ai.output.type"], "json");
  assertEquals("gen_ai.output.type" in fake.find("chat m").attributes, false);
  await runToolLoop(configOf([{ text: "Hi" }], telemetry(fake.options)), "Go");
  assertEquals("gen_ai.output.type" in Object(fake.roots.at(-1)?.attributes), false);
});

Deno.test("telemetry() executes each step once if the context manager calls the step twice or too late", async () => {
  const managers: ((callback: () => void) => void)[] = [
    (callback) => {
      callback();
      callback();
    },
    (callback) => queueMicrotask(callback),
  ];
  for (const manager of managers) {
    const fake = new FakeTelemetry();
    const context = {
      active: () => ({}),
      with: (_: object, callback: () => void) => manager(callback),
    };
    const options = telemetry({ ...fake.options, context });
    const output = await runToolLoop(configOf([{ text: "done" }], options), "go");
    assertEquals(output.finalText, "done");
    fake.assertEnded();
  }
});

Deno.test("telemetry() prints the failure of an onError that throws or rejects, and does not end the run", async () => {
  const failures = [() => Promise.reject(new Error("no report")), (): never => {
    throw new Error("no report");
  }];
  for (const onError of failures) {
    using print = stub(console, "error");
    const spans = telemetry({
      ...new FakeTelemetry().options,
      trace: {
        setSpan: () => {
          throw new Error("cannot trace");
        },
      },
      onError,
    });
    const output = await runToolLoop(configOf([{ text: "done" }], spans), "go");
    assertEquals(output.finalText, "done");
    assertStringIncludes(String(print.calls[0]?.args[0]), "no report");
  }
});

Deno.test("telemetry() records the settings of a model call", async () => {
  const fake = new FakeTelemetry();
  const generateOptions = {
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    maxOutputTokens: 100,
    stopSequences: ["END"],
    seed: 7,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    reasoning: "low",
    responseFormat: { type: "json" },
  } as const;
  await runToolLoop(configOf([{ text: "x" }], telemetry(fake.options), { generateOptions }), "?");
  const { attributes } = fake.find("chat m");
  const settings = Object.entries(attributes).filter(([name]) =>
    /^gen_ai\.(request|output)\./.test(name)
  );
  assertEquals(Object.fromEntries(settings), {
    "gen_ai.request.model": "m",
    "gen_ai.request.stream": true,
    "gen_ai.request.temperature": 0.5,
    "gen_ai.request.top_p": 0.9,
    "gen_ai.request.top_k": 40,
    "gen_ai.request.max_tokens": 100,
    "gen_ai.request.stop_sequences": ["END"],
    "gen_ai.request.seed": 7,
    "gen_ai.request.presence_penalty": 0.1,
    "gen_ai.request.frequency_penalty": 0.2,
    "gen_ai.request.reasoning.level": "low",
    "gen_ai.output.type": "json",
  });
});

Deno.test("telemetry() records no token usage if the model reports none", async () => {
  const fake = new FakeTelemetry();
  const spans = telemetry({ ...fake.options, meter: fake.meter });
  await runToolLoop(configOf([{ text: "x", usage: null }], spans), "?");
  const names = Object.keys(fake.find("chat m").attributes);
  assertEquals(names.filter((name) => name.includes("usage")), []);
  assertEquals(fake.measurements.filter(({ name }) => name.includes("tokens")), []);
});

Deno.test("telemetry() creates no spans for replayed steps, and records their number", async () => {
  const journal = new MemoryJournal();
  const options = { runId: "r", stepRunner: recordSteps(journal) };
  const fresh = new FakeTelemetry();
  await runToolLoop(configOf(LOOK_THEN_ANSWER, telemetry(fresh.options), options), "?");
  assertEquals(fresh.find("invoke_agent scout").attributes["parley.replayed_steps"], undefined);
  const fake = new FakeTelemetry();
  const spans = telemetry({ ...fake.options, meter: fake.meter });
  await runToolLoop(configOf([], spans, options), "?");
  fake.assertEnded();
  assertEquals(fake.tree, ["invoke_agent scout"]);
  assertEquals(fake.find("invoke_agent scout").attributes["parley.replayed_steps"], 3);
  assertEquals(fake.measurements.map(({ name, value }) => name.includes("calls") ? value : name), [
    "gen_ai.invoke_agent.duration",
    0,
    0,
  ]);
});

Deno.test("telemetry() records the spans even if its event listener is not used", async () => {
  const fake = new FakeTelemetry();
  const onEvent = (): void => {};
  await runToolLoop(configOf(LOOK_THEN_ANSWER, telemetry(fake.options), { onEvent }), "?");
  fake.assertEnded();
  assertEquals(fake.tree, [
    "invoke_agent scout",
    "  chat m",
    "  execute_tool look",
    "  chat m",
  ]);
  const { attributes } = fake.find("chat m");
  assertEquals(attributes["gen_ai.response.time_to_first_chunk"], undefined);
});

Deno.test("telemetry() does not mark a tool call as failed if its sub-agent waits for an approval", async () => {
  const fake = new FakeTelemetry();
  const boss: ToolLoopAgent = new ToolLoopAgent({
    name: "boss",
    model: scriptedModel([{ calls: [{ toolName: "ask" }] }], "m"),
    ...telemetry(fake.options),
  });
  boss.registry.register({
    name: "ask",
    inputSchema: {},
    execute: async (_, context) => {
      const config = {
        name: "expert",
        model: scriptedModel([{ calls: [{ toolName: "pay" }] }], "n"),
        approvalHandler: () => ({ decision: "defer" } as const),
      };
      return (await runSubAgentTask(boss, config, "?", { context })).finalText;
    },
  });
  boss.registry.register({ name: "pay", inputSchema: {}, execute: () => "paid" });
  await boss.initialize();
  const output = await boss.run("?");
  await boss.terminate();
  fake.assertEnded();
  assertEquals(output.stopReason, "approval_pending");
  assertEquals(fake.all.map(({ status }) => status), fake.all.map(() => undefined));
});

Deno.test("telemetry() records metrics for a run, its model calls and its tools", async () => {
  const fake = new FakeTelemetry();
  const model = {
    modelId: "m",
    provider: "acme",
    generate: scriptedModel(LOOK_THEN_ANSWER).generate,
  };
  await runToolLoop(
    configOf([], telemetry({ ...fake.options, meter: fake.meter }), { model }),
    "?",
  );
  const chat = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "acme",
    "gen_ai.request.model": "m",
  };
  const counted = { ...chat, "gen_ai.token.modality": "unknown" };
  const agent = { "gen_ai.agent.name": "scout" };
  const tool = { ...agent, "gen_ai.tool.name": "look", "gen_ai.tool.type": "function" };
  const client = "gen_ai.client.inference";
  const measured = fake.measurements.map(({ name, value, attributes }) => {
    if (!name.endsWith("duration")) return [name, value, attributes];
    assert(value >= 0 && value < 10);
    return [name, "seconds", attributes];
  });
  assertEquals(measured, [
    [`${client}.duration`, "seconds", chat],
    [`${client}.operation.input_tokens`, 1, chat],
    [`${client}.operation.output_tokens`, 1, chat],
    [`${client}.usage.input_tokens`, 1, counted],
    [`${client}.usage.output_tokens`, 1, counted],
    ["gen_ai.execute_tool.duration", "seconds", tool],
    [`${client}.duration`, "seconds", chat],
    [`${client}.operation.input_tokens`, 5, chat],
    [`${client}.operation.output_tokens`, 3, chat],
    [`${client}.usage.input_tokens`, 5, counted],
    [`${client}.usage.cache_read.input_tokens`, 2, counted],
    [`${client}.usage.cache_write.input_tokens`, 1, counted],
    [`${client}.usage.output_tokens`, 3, counted],
    [`${client}.usage.reasoning.output_tokens`, 2, counted],
    ["gen_ai.invoke_agent.duration", "seconds", agent],
    ["gen_ai.invoke_agent.inference_calls", 2, agent],
    ["gen_ai.invoke_agent.tool_calls", 1, agent],
  ]);
});

Deno.test("telemetry() records the error type of failed steps in the metrics", async () => {
  const fake = new FakeTelemetry();
  const registry = registryOf(() => Promise.reject(new Error("no light")));
  const turns = [{ calls: [{ toolName: "look" }] }, { error: new Error("gone") }];
  const spans = telemetry({ ...fake.options, meter: fake.meter });
  await runToolLoop(configOf(turns, spans, { registry }), "?").catch(() => {});
  const durations = fake.measurements.filter(({ name }) => name.endsWith("duration"));
  assertEquals(durations.map(({ attributes }) => attributes["error.type"]), [
    undefined,
    "tool_execution_failed",
    "model_error",
    "model_error",
  ]);
});

Deno.test("telemetry() creates histograms with the bucket boundaries that the conventions specify", () => {
  const fake = new FakeTelemetry();
  telemetry({ ...fake.options, meter: fake.meter });
  const boundaries = (name: string) => fake.boundaries.get(name);
  const seconds = [
    ...[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64],
    ...[1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  ];
  assertEquals(boundaries("gen_ai.client.inference.duration"), seconds);
  assertEquals(boundaries("gen_ai.client.inference.operation.input_tokens"), [
    ...[1, 4, 16, 64, 256, 1024, 4096, 16384, 65536],
    ...[262144, 1048576, 4194304, 16777216, 67108864],
  ]);
});
