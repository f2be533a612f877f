/** Tests the AG-UI client from `@ag-ui/client` with our agents over HTTP. */

import { type AgentSubscriber, HttpAgent } from "@ag-ui/client";
import type { BaseEvent, Event, Message } from "@ag-ui/core";
import {
  AgentError,
  type AssistantMessage,
  autoApprove,
  type LanguageModel,
  runSubAgentTask,
  ToolLoopAgent,
} from "@parley/runtime";
import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
import { AgentSession, memorySessions } from "@parley/runtime/session";
import { createGate, scriptedModel } from "@parley/runtime/testing";
import {
  type AgUiEvent,
  agUiResponse,
  type AgUiResponseOptions,
  readAgUiInput,
} from "@parley/runtime/ui/ag-ui";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";

type Turns = Parameters<typeof scriptedModel>[0];

/** The wire form of an event: its `type` is a string instead of a member of the enum. */
type Wire<One> = One extends { type: infer Type extends string }
  ? Omit<One, "type" | "subagentRunId"> & { type: `${Type}` }
  : never;

Deno.test("AgUiEvent is assignable to the events of @ag-ui/core", () => {
  // The messages in a snapshot are the client's own messages, which the server does not validate.
  const fits = (event: Exclude<AgUiEvent, { type: "MESSAGES_SNAPSHOT" }>): Wire<Event> => event;
  void fits;
});

/** A server with one agent that stores each conversation in a session. */
class ChatServer implements AsyncDisposable {
  readonly store = memorySessions();
  readonly stepRunner = recordSteps(new MemoryJournal());
  readonly agent: ToolLoopAgent;
  /** Errors that the server reports. */
  readonly errors: unknown[] = [];
  options: Partial<AgUiResponseOptions> = {};
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(agent: ToolLoopAgent) {
    this.agent = agent;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  session(id: string): AgentSession {
    const { agent, stepRunner, store } = this;
    return new AgentSession(agent, { id, store, stepRunner });
  }

  connect(threadId = "chat-1"): HttpAgent {
    return new HttpAgent({ url: `http://127.0.0.1:${this.#server.addr.port}/`, threadId });
  }

  async #answer(request: Request): Promise<Response> {
    const { decisions, turn, ...ids } = readAgUiInput(await request.json());
    const events = this.session(ids.threadId).stream(turn, { decisions });
    const onError = (error: unknown) => this.errors.push(error);
    return agUiResponse(events, { ...ids, onError, ...this.options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
    await this.agent.terminate();
  }
}

/** A model that streams each part of its responses in two deltas. */
function streamedModel(
  responses: readonly AssistantMessage["content"][],
): LanguageModel {
  const left = [...responses];
  return {
    modelId: "streamed",
    generate: () => Promise.reject(new Error("The model is streamed")),
    async *stream() {
      await Promise.resolve();
      const content = left.shift() ?? [];
      for (const part of content) {
        for (
          const delta of part.type === "tool-call"
            ? halve(JSON.stringify(part.input))
            : "text" in part
            ? halve(part.text)
            : []
        ) {
          if (part.type === "tool-call") {
            const { toolCallId, toolName } = part;
            yield { type: "tool-input-delta", toolCallId, toolName, delta };
          } else if (part.type !== "file") yield { type: `${part.type}-delta`, delta };
        }
      }
      const isCalling = content.some((part) => part.type === "tool-call");
      const usage = { inputTokens: 3, outputTokens: 1, totalTokens: 4 };
      yield {
        type: "finish",
        response: {
          message: { role: "assistant", content },
          finishReason: isCalling ? "tool-calls" : "stop",
          usage,
        },
      };
    },
  };
}

function halve(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

function createAgent(
  model: LanguageModel | Turns,
  config: Partial<ConstructorParameters<typeof ToolLoopAgent>[0]> = {},
): ToolLoopAgent {
  const agent = new ToolLoopAgent({
    name: "clerk",
    model: Array.isArray(model) ? scriptedModel(model) : model as LanguageModel,
    retryDelayMs: 0,
    approvalHandler: autoApprove,
    ...config,
  });
  agent.registry.register({
    name: "pay",
    inputSchema: { type: "object" },
    execute: (_input, context) => {
      context.report({ done: 1 });
      return { receipt: 7 };
    },
  });
  agent.registry.register({
    name: "fail",
    inputSchema: { type: "object" },
    execute: () => {
      throw new Error("connect ECONNREFUSED 10.0.0.3");
    },
  });
  return agent;
}

/** Sends a user message, and returns the events that the client has accepted. */
async function say(
  client: HttpAgent,
  text: string | undefined,
  parameters: Parameters<HttpAgent["runAgent"]>[0] = {},
): Promise<readonly BaseEvent[]> {
  const events: BaseEvent[] = [];
  const subscriber: AgentSubscriber = {
    onEvent: ({ event }) => {
      events.push(event);
    },
  };
  if (text !== undefined) {
    client.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
  }
  await client.runAgent(parameters, subscriber);
  return events;
}

function outline(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => {
    const calls = message.role === "assistant"
      ? (message.toolCalls ?? []).map((call) => `${call.function.name}${call.function.arguments}`)
      : [];
    const content = String(message.content ?? "");
    return [`${message.role}:`, content, ...calls].filter((text) => text !== "").join(" ");
  });
}

Deno.test("The AG-UI client receives text, reasoning, tool calls, progress and results", async () => {
  const model = streamedModel([
    [
      { type: "reasoning", text: "The user wants to pay" },
      { type: "text", text: "I will pay" },
      { type: "tool-call", toolCallId: "c1", toolName: "pay", input: { n: 1 } },
      { type: "tool-call", toolCallId: "c2", toolName: "fail", input: {} },
    ],
    [{ type: "text", text: "I have paid" }],
    [{ type: "text", text: "You are welcome" }],
  ]);
  await using server = new ChatServer(createAgent(model));
  const client = server.connect();
  const events = await say(client, "Pay the bill");
  assertEquals(outline(client.messages), [
    "user: Pay the bill",
    "reasoning: The user wants to pay",
    'assistant: I will pay pay{"n":1} fail{}',
    "tool: An error occurred",
    'tool: {"receipt":7}',
    "assistant: I have paid",
  ]);
  const types = events.map(({ type }) => type);
  assertEquals([types.at(0), types.at(-1)], ["RUN_STARTED", "RUN_FINISHED"]);
  const value = { toolCallId: "c1", toolName: "pay", progress: { done: 1 } };
  assertEquals(events.find(({ type }) => type === "CUSTOM")?.value, value);
  assertEquals(events.at(-1)?.outcome, { type: "success" });
  assertEquals(events.at(-1)?.usage, [{
    model: "streamed",
    inputTokens: 6,
    outputTokens: 2,
    totalTokens: 8,
  }]);
  await say(client, "Thanks");
  assertEquals(outline(client.messages).slice(-2), ["user: Thanks", "assistant: You are welcome"]);
  assertEquals((await server.session("chat-1").messages()).length, 6);
});

Deno.test("The AG-UI client approves and denies tool calls", async () => {
  for (const isApproved of [true, false]) {
    await using server = new ChatServer(createAgent(
      [{ text: "I will pay", calls: [{ toolName: "pay" }] }, { text: "Done" }],
      { approvalHandler: () => ({ decision: "defer" }) },
    ));
    const client = server.connect();
    await say(client, "Pay");
    const [interrupt] = client.pendingInterrupts;
    assertEquals(interrupt?.reason, "tool_call");
    assertEquals(outline(client.messages), ["user: Pay", "assistant: I will pay pay{}"]);
    await assertRejects(() => say(client, undefined));
    await say(client, undefined, {
      resume: [{
        interruptId: interrupt?.id ?? "",
        status: "resolved",
        payload: { approved: isApproved, reason: "too expensive" },
      }],
    });
    assertEquals(outline(client.messages), [
      "user: Pay",
      "assistant: I will pay pay{}",
      isApproved ? 'tool: {"receipt":7}' : "tool: too expensive",
      "assistant: Done",
    ]);
    assertEquals(client.pendingInterrupts, []);
  }
});

Deno.test("The AG-UI client removes the partial response of a failed model call", async () => {
  let attempts = 0;
  const model: LanguageModel = {
    modelId: "flaky",
    generate: () => Promise.reject(new Error("The model is streamed")),
    async *stream() {
      await Promise.resolve();
      const call = { toolCallId: "c1", toolName: "pay" };
      yield { type: "reasoning-delta", delta: "Hm" };
      yield { type: "text-delta", delta: "I will" };
      yield { type: "tool-input-delta", ...call, delta: '{"n"' };
      if (attempts++ === 0) throw AgentError.modelError("overloaded", { retryable: true });
      yield { type: "tool-input-delta", ...call, delta: ":2}" };
      const content: AssistantMessage["content"] = [
        { type: "reasoning", text: "Hm" },
        { type: "text", text: "I will" },
        { type: "tool-call", ...call, input: { n: 2 } },
      ];
      const message = { role: "assistant", content } as const;
      yield { type: "finish", response: { message, finishReason: "tool-calls" } };
    },
  };
  await using server = new ChatServer(createAgent(model, { maxIterations: 1 }));
  const client = server.connect();
  const events = await say(client, "Hi");
  assertEquals(outline(client.messages), [
    "user: Hi",
    "reasoning: Hm",
    'assistant: I will pay{"n":2}',
    'tool: {"receipt":7}',
  ]);
  assertEquals(events.filter(({ type }) => type === "MESSAGES_SNAPSHOT").length, 1);
});

Deno.test("The AG-UI client receives a masked error, and the server reports the error", async () => {
  await using server = new ChatServer(createAgent([{ error: "key sk-123 is invalid" }]));
  const failing = server.connect();
  const errors: string[] = [];
  const subscriber: AgentSubscriber = {
    onRunErrorEvent: ({ event }) => {
      errors.push(`${event.code}: ${event.message}`);
    },
  };
  failing.addMessage({ id: "m1", role: "user", content: "Hi" });
  await failing.runAgent({}, subscriber).catch(() => {});
  assertEquals(errors, ["model_error: An error occurred"]);
  assertStringIncludes(String(server.errors[0]), "sk-123");

  // A run that cannot start: there is no message from the user.
  const empty = server.connect("chat-2");
  await empty.runAgent({}, subscriber).catch(() => {});
  assertEquals(errors.length, 2);
});

Deno.test("The AG-UI client receives the events and approvals of sub-agents", async () => {
  const agent = createAgent(
    [{ calls: [{ toolName: "delegate" }] }, { text: "All done" }],
  );
  const helper = scriptedModel([
    { text: "I pay", calls: [{ toolName: "pay" }] },
    { text: "Paid" },
  ]);
  agent.registry.register({
    name: "delegate",
    inputSchema: { type: "object" },
    execute: async (_input, context) => {
      const child = {
        name: "helper",
        model: helper,
        allowedTools: ["pay"],
        approvalHandler: () => ({ decision: "defer" }) as const,
      };
      return (await runSubAgentTask(agent, child, "Pay", { context })).finalText;
    },
  });
  await using server = new ChatServer(agent);
  const client = server.connect();
  const first = await say(client, "Go");
  const started = first.find(({ type }) => type === "SUBAGENT_STARTED");
  assertEquals(started?.name, "helper");
  const [interrupt] = client.pendingInterrupts;
  assertEquals(interrupt?.subagentRunId, started?.subagentRunId);
  const resume = [{
    interruptId: interrupt?.id ?? "",
    status: "resolved" as const,
    payload: { approved: true },
  }];
  await say(client, undefined, { resume });
  const lines = outline(client.messages);
  assertEquals(lines, [
    "user: Go",
    "assistant: delegate{}",
    "tool: Paid",
    "assistant: I pay pay{}",
    'tool: {"receipt":7}',
    "assistant: Paid",
    "assistant: All done",
  ]);
});

Deno.test("Disconnecting the AG-UI client aborts the run, unless onDisconnect is continue", async () => {
  for (const onDisconnect of ["abort", "continue"] as const) {
    const gate = createGate();
    const agent = createAgent([{ calls: [{ toolName: "wait" }] }, { text: "Done" }], {
      graceMs: 0,
    });
    agent.registry.register({
      name: "wait",
      inputSchema: { type: "object" },
      execute: () => gate.wait(),
    });
    const finished = Promise.withResolvers<string>();
    const events = agent.stream("Go", {
      onEvent: (event) => {
        if (event.type === "run_finished") finished.resolve(event.stopReason);
      },
    });
    const response = agUiResponse(events, { threadId: "t", onDisconnect });
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => response,
    );
    const client = new HttpAgent({ url: `http://127.0.0.1:${server.addr.port}/`, threadId: "t" });
    const running = client.runAgent().catch(() => {});
    await gate.reached;
    client.abortRun();
    await running;
    if (onDisconnect === "abort") assertEquals(await finished.promise, "aborted");
    gate.release();
    if (onDisconnect === "continue") assertEquals(await finished.promise, "model_stop");
    await server.shutdown();
    await agent.terminate();
  }
});
