import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { ToolLoopAgent } from "../agent/agent.ts";
import { runSubAgentTask } from "../agent/sub_agent.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { AgentError } from "../shared/error.ts";
import type { ModelMessage, UserMessage } from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { findTranscriptViolation, scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { LoopEvent } from "./events.ts";
import type { IterationContext, IterationPlan, PrepareIteration } from "./iteration_plan.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

const CALL: ScriptedTurn = { calls: [{ toolName: "look" }] };
const DONE: ScriptedTurn = { text: "done" };

function tools(...names: readonly string[]): ToolRegistry {
  return new ToolRegistry(
    names.map((name) => ({ name, inputSchema: { type: "object" }, execute: () => `${name} ok` })),
  );
}

function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/** Returns the first text of each message, or the message's role if it has no text. */
function outline(messages: readonly ModelMessage[]): readonly string[] {
  return messages.map(({ role, content }) => {
    if (typeof content === "string") return `${role}: ${content}`;
    const [first] = content;
    return first?.type === "text" ? `${role}: ${first.text}` : role;
  });
}

/** Creates a function that returns one plan per call, and no plan after the last one. */
function plans(...list: readonly (IterationPlan | undefined)[]): PrepareIteration {
  let next = 0;
  return () => list[next++];
}

function run(
  model: ReturnType<typeof scriptedModel>,
  prepareIteration: PrepareIteration,
  options: Partial<ToolLoopConfig> = {},
): Promise<ToolLoopOutput> {
  return runToolLoop(
    { model, registry: tools("look", "write"), prepareIteration, ...options },
    "go",
  );
}

Deno.test("prepareIteration receives the run's state before each model call", async () => {
  const contexts: IterationContext[] = [];
  const model = scriptedModel([
    { calls: [{ toolName: "look" }], usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 } },
    DONE,
  ]);
  const output = await run(model, (context) => {
    contexts.push(context);
    return undefined;
  }, { systemPrompt: "S", agentName: "a", runId: "r" });

  assertEquals(contexts.map(({ iteration }) => iteration), [0, 1]);
  assertEquals(contexts.map(({ lastUsage }) => lastUsage?.inputTokens), [undefined, 7]);
  const [, second] = contexts;
  assert(second !== undefined);
  assertEquals([second.agentName, second.path, second.runId], ["a", ["a"], "r"]);
  assertEquals(second.tools.map(({ name }) => name), ["look", "write"]);
  assertEquals([second.model, second.history], [model, undefined]);
  assertEquals(outline(second.messages.slice(0, 4)), [
    "system: S",
    "user: go",
    "assistant",
    "tool",
  ]);
  assertEquals(second.view, second.messages);
  assertEquals(second.signal.aborted, false);
  assertEquals(output.history, undefined);
});

Deno.test("IterationContext.messages is a copy, so changing it does not change the transcript", async () => {
  const output = await run(scriptedModel([DONE]), ({ messages, view }) => {
    for (const copy of [messages, view]) if (Array.isArray(copy)) copy.splice(0);
    return undefined;
  });
  assertEquals(outline(output.messages), ["user: go", "assistant: done"]);
});

Deno.test("a plan changes the model, the system prompt and the settings of one call", async () => {
  const other = scriptedModel([CALL]);
  const model = scriptedModel([DONE]);
  const output = await run(
    model,
    plans({ model: other, systemPrompt: "T", generateOptions: { toolChoice: "required" } }),
    { systemPrompt: "S", generateOptions: { temperature: 0.5 } },
  );
  assertEquals(outline(other.requests[0]?.messages ?? []), ["system: T", "user: go"]);
  assertEquals(other.requests[0]?.options, { temperature: 0.5, toolChoice: "required" });
  assertEquals(model.requests[0]?.options, { temperature: 0.5 });
  assertEquals(outline(model.requests[0]?.messages.slice(0, 2) ?? []), ["system: S", "user: go"]);
  assertEquals(outline(output.messages.slice(0, 1)), ["system: S"]);
});

Deno.test("a plan limits the tools in one iteration, and calls to other tools get an error result", async () => {
  let executions = 0;
  const registry = tools("look");
  registry.register({
    name: "write",
    inputSchema: { type: "object" },
    execute: () => `written ${++executions}`,
  });
  const write: ScriptedTurn = { calls: [{ toolName: "write" }] };
  const model = scriptedModel([write, write, DONE]);
  const output = await run(model, plans({ tools: ["look"] }), { registry });
  assertEquals(model.requests.map(({ tools }) => tools.map(({ name }) => name)), [
    ["look"],
    ["look", "write"],
    ["look", "write"],
  ]);
  const [first, second] = output.iterations.map(({ toolResults }) => toolResults[0]);
  assertEquals([first?.code, second?.code, executions], ["tool_not_found", undefined, 1]);
  assertStringIncludes(JSON.stringify(first?.output), "Available tools: look");
  assert(!JSON.stringify(first?.output).includes("look, write"));
});

Deno.test('`onUnknownTool: "throw"` applies to a tool that the plan does not allow', async () => {
  const error = await assertRejects(
    () => run(scriptedModel([CALL]), plans({ tools: [] }), { onUnknownTool: "throw" }),
    AgentError,
  );
  assertEquals(error.code, "tool_not_found");
});

Deno.test("a plan's `messages` are sent once, and the transcript stays complete", async () => {
  const model = scriptedModel([CALL, DONE]);
  const output = await run(model, plans({ messages: [user("other")] }), { systemPrompt: "S" });
  assertEquals(outline(model.requests[0]?.messages ?? []), ["system: S", "user: other"]);
  assertEquals(outline(model.requests[1]?.messages ?? []), [
    "system: S",
    "user: go",
    "assistant",
    "tool",
  ]);
  assertEquals(output.history, undefined);
});

Deno.test("a plan's `messages` may begin with the transcript's system message", async () => {
  const model = scriptedModel([DONE]);
  await run(model, ({ messages }) => ({ messages }), { systemPrompt: "S" });
  assertEquals(outline(model.requests[0]?.messages ?? []), ["system: S", "user: go"]);
});

Deno.test("a plan's `history` stays in effect until another plan replaces it, and is part of the output", async () => {
  const model = scriptedModel([CALL, CALL, CALL, DONE]);
  const summary = { head: [user("summary")], from: 2 };
  const views: (readonly string[])[] = [];
  const prepare = plans(undefined, { history: summary }, undefined, {
    history: { head: [], from: 0 },
  });
  const output = await run(model, (context) => {
    views.push(outline(context.view));
    return prepare(context);
  }, { systemPrompt: "S" });
  const sent = model.requests.map(({ messages }) => outline(messages));
  const two = ["assistant", "tool"];
  assertEquals(sent[1], ["system: S", "user: summary", ...two]);
  assertEquals(sent[2], ["system: S", "user: summary", ...two, ...two]);
  assertEquals(sent[3], ["system: S", "user: go", ...two, ...two, ...two]);
  assertEquals(views[2], sent[2]);
  assertEquals(output.history, { head: [], from: 0 });
  assertEquals(findTranscriptViolation(output.messages), undefined);
  assertEquals(output.messages.length, 9);
});

Deno.test("an output's `history` works in the next run, even if a system message is added or dropped", async () => {
  const model = scriptedModel([CALL, DONE]);
  const first = await run(model, plans(undefined, { history: { head: [user("sum")], from: 2 } }), {
    systemPrompt: "S",
  });
  for (const systemPrompt of ["S", undefined]) {
    const next = scriptedModel([DONE]);
    const options = { messages: first.messages, history: first.history ?? { head: [], from: 0 } };
    const output = await runToolLoop({
      model: next,
      registry: tools(),
      ...options,
      ...systemPrompt === undefined ? {} : { systemPrompt },
    }, "and?");
    assertEquals(outline(next.requests[0]?.messages ?? []), [
      ...systemPrompt === undefined ? [] : ["system: S"],
      "user: sum",
      "assistant",
      "tool",
      "assistant: done",
      "user: and?",
    ]);
    assertEquals(output.history?.from, systemPrompt === undefined ? 1 : 2);
  }
});

Deno.test("`history` in a run's options must select a valid conversation", async () => {
  const model = scriptedModel([CALL, DONE]);
  const { messages } = await run(model, plans());
  const start = (history: unknown): Promise<unknown> =>
    // The cast is unchecked, because the test passes invalid views.
    runToolLoop({ model, registry: tools(), messages, history: history as never }, "go");
  await assertRejects(() => start(5), TypeError, '"history" must be an object');
  await assertRejects(() => start({ head: 1, from: 0 }), TypeError, '"history.head"');
  await assertRejects(() => start({ head: [{}], from: 0 }), TypeError, '"history.head[0].role"');
  await assertRejects(() => start({ head: [], from: 5 }), RangeError, '"history.from"');
  await assertRejects(() => start({ head: [], from: 2 }), TypeError, "message 0: a tool message");
});

Deno.test("a plan's `append` is sent and becomes part of the transcript", async () => {
  const model = scriptedModel([CALL, DONE]);
  const output = await run(model, plans(undefined, { append: "faster" }));
  assertEquals(outline(model.requests[1]?.messages ?? []).at(-1), "user: faster");
  assertEquals(outline(output.messages), [
    "user: go",
    "assistant",
    "tool",
    "user: faster",
    "assistant: done",
  ]);
});

Deno.test("a plan's `stop` ends the run before the model is called", async () => {
  const model = scriptedModel([CALL]);
  const output = await run(model, plans(undefined, { stop: "moderation", append: "last words" }));
  assertEquals([output.stopReason, output.stopConditionName], ["custom_condition", "moderation"]);
  assertEquals(model.requests.length, 1);
  assertEquals(outline(output.messages).at(-1), "user: last words");
});

Deno.test("a plan's `usage` is added to the run's totals and the health profile, not to the iteration's usage", async () => {
  const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120 };
  const agent = new ToolLoopAgent({
    name: "a",
    model: scriptedModel([DONE]),
    prepareIteration: () => ({ usage }),
  });
  await agent.initialize();
  const output = await agent.run("go");
  assertEquals([output.totalUsage.totalTokens, output.iterations[0]?.usage.totalTokens], [122, 2]);
  assertEquals(agent.healthProfile.usage.totalTokens, 122);
});

Deno.test("prepareIteration is not called again if the model call is retried", async () => {
  let calls = 0;
  const failure = { error: AgentError.modelError("busy", { retryable: true }) };
  const model = scriptedModel([failure, DONE]);
  await run(model, () => ({ append: `call ${++calls}` }), { retryDelayMs: 0 });
  assertEquals([calls, model.requests.length], [1, 2]);
  assertEquals(model.requests.map(({ messages }) => outline(messages).at(-1)), [
    "user: call 1",
    "user: call 1",
  ]);
});

Deno.test("the output of a failed run contains the message that the plan appended and the plan's usage", async () => {
  const model = scriptedModel([{ error: new Error("down") }]);
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const error = await assertRejects(
    () => run(model, plans({ append: "hurry", usage })),
    AgentError,
  );
  assertEquals(outline(error.partialOutput?.messages ?? []), ["user: go", "user: hurry"]);
  assertEquals(error.partialOutput?.totalUsage, usage);
});

Deno.test("an invalid plan fails the run with code core and names the member", async () => {
  const invalid: readonly (readonly [unknown, string])[] = [
    [5, '"plan" must be an object'],
    [{ tool: ["look"] }, 'got "tool"; did you mean "tools"?'],
    [{ activeTools: ["look"] }, 'got "activeTools"; did you mean "tools"?'],
    [{ generateOptions: { tempreature: 0 } }, 'did you mean "temperature"?'],
    [{ model: "gpt" }, '"model" must be a LanguageModel'],
    [{ systemPrompt: 5 }, '"systemPrompt" must be a string'],
    [{ tools: "look" }, '"tools" must be an array of tool names'],
    [{ tools: ["lok"] }, 'got "lok"; available tools: look, write'],
    [{ generateOptions: 5 }, '"generateOptions" must be an object'],
    [{ generateOptions: { providerTools: 5 } }, '"generateOptions.providerTools" must be an array'],
    [{ history: 5 }, '"history" must be an object'],
    [{ history: { head: [], from: 2 } }, '"history.from" must be an integer from 0 to 1'],
    [{ history: { head: [], from: 1 } }, "not a valid conversation: no messages"],
    [{ messages: [] }, "not a valid conversation: no messages"],
    [{ messages: [{ role: "robot", content: [] }] }, '"messages[0].role"'],
    [{ messages: [{ role: "tool", content: [] }] }, "message 0: a tool message must follow"],
    [{ append: [] }, '"append" must be a string or a non-empty array of parts'],
    [{ stop: "" }, '"stop" must be a non-empty string'],
    [{ usage: 5 }, '"usage" must be an object'],
  ];
  for (const [plan, text] of invalid) {
    const model = scriptedModel([DONE]);
    // The cast is unchecked, because the test returns invalid plans.
    const error = await assertRejects(() => run(model, () => plan as never), AgentError);
    assertEquals([error.code, model.requests.length], ["core", 0]);
    assertStringIncludes(error.message, "Cannot prepare iteration 0: ");
    assertStringIncludes(error.message, text);
  }
});

Deno.test("a history view that separates a result from its call fails the run and names the index", async () => {
  const model = scriptedModel([CALL, DONE]);
  const plan = plans(undefined, { history: { head: [user("summary")], from: 2 } });
  const error = await assertRejects(() => run(model, plan), AgentError);
  assertEquals(error.code, "core");
  assertStringIncludes(error.message, "Cannot prepare iteration 1: ");
  assertStringIncludes(error.message, "message 1: a tool message must follow an assistant message");
  assertEquals(model.requests.length, 1);
  assertEquals(outline(error.partialOutput?.messages ?? []), ["user: go", "assistant", "tool"]);
});

Deno.test("an exception from prepareIteration fails the run with code core", async () => {
  for (
    const prepare of [
      () => {
        throw new Error("no plan");
      },
      () => Promise.reject(new Error("no plan")),
    ]
  ) {
    const error = await assertRejects(() => run(scriptedModel([DONE]), prepare), AgentError);
    assertEquals([error.code, error.message], ["core", "Cannot prepare iteration 0: no plan"]);
  }
});

Deno.test("prepareIteration times out after `modelTimeoutMs`", async () => {
  using time = new FakeTime();
  const signals: AbortSignal[] = [];
  const result = assertRejects(
    () =>
      run(scriptedModel([DONE]), ({ signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      }, { modelTimeoutMs: 50 }),
    AgentError,
  );
  await time.tickAsync(51);
  assertEquals((await result).message, "Cannot prepare iteration 0: timed out after 50 ms");
  assertEquals(signals.map(({ aborted }) => aborted), [true]);
});

Deno.test("aborting the run aborts prepareIteration, and the model is not called", async () => {
  for (const result of [undefined, Promise.resolve(undefined), new Promise<undefined>(() => {})]) {
    const controller = new AbortController();
    const model = scriptedModel([DONE]);
    const signals: AbortSignal[] = [];
    const output = await run(model, ({ signal }) => {
      signals.push(signal);
      controller.abort();
      return result;
    }, { signal: controller.signal });
    assertEquals([output.stopReason, model.requests.length], ["aborted", 0]);
    assertEquals(signals.map(({ aborted }) => aborted), [result !== undefined]);
  }
});

Deno.test("pausing the agent during prepareIteration suspends the run before the model call", async () => {
  const model = scriptedModel([DONE]);
  let pausing: Promise<void> | undefined;
  const agent: ToolLoopAgent = new ToolLoopAgent({
    name: "a",
    model,
    prepareIteration: () => {
      pausing = agent.pause();
      return { append: "x" };
    },
  });
  await agent.initialize();
  const running = agent.run("go");
  await Promise.resolve();
  await pausing;
  assertEquals([agent.lifecycle.state, model.requests.length], ["paused", 0]);
  await agent.resume();
  assertEquals((await running).finalText, "done");
});

Deno.test("prepareIteration is called before the final model call, but a plan cannot add tools to that call", async () => {
  const model = scriptedModel([CALL, DONE]);
  const output = await run(
    model,
    plans(undefined, {
      tools: ["look"],
      generateOptions: { toolChoice: "required", temperature: 1 },
      append: "Now answer",
    }),
    { maxIterations: 1, onMaxIterations: "finalize" },
  );
  assertEquals(model.requests[1]?.tools, []);
  assertEquals(model.requests[1]?.options, { toolChoice: "none", temperature: 1 });
  assertEquals([output.stopReason, output.finalText], ["max_iterations", "done"]);
});

Deno.test("a resumed run applies recorded plans and calls prepareIteration only for iterations that are not recorded", async () => {
  const journal = new MemoryJournal();
  const options = { stepRunner: recordSteps(journal), runId: "r" };
  const write: ScriptedTurn = { calls: [{ toolName: "write" }] };
  const png = { type: "data", data: new Uint8Array([1, 2]) } as const;
  const failing = scriptedModel([write, { error: new Error("crash") }]);
  const recorded: IterationPlan = {
    append: [{ type: "text", text: "hurry" }, { type: "file", mediaType: "image/png", data: png }],
    history: { head: [user("summary")], from: 1 },
    tools: ["look"],
    usage: { inputTokens: 5, outputTokens: 5, totalTokens: 10 },
  };
  await assertRejects(() => run(failing, plans(recorded, { append: "lost" }), options), AgentError);

  const iterations: number[] = [];
  const model = scriptedModel([DONE]);
  const output = await run(model, ({ iteration }) => {
    iterations.push(iteration);
    return undefined;
  }, options);
  assertEquals(iterations, [1]);
  assertEquals(outline(output.messages), [
    "user: go",
    "user: hurry",
    "assistant",
    "tool",
    "assistant: done",
  ]);
  assertEquals<unknown>(output.messages[1]?.content, recorded.append);
  assertEquals(output.iterations[0]?.toolResults[0]?.code, "tool_not_found");
  assertEquals(output.history, recorded.history);
  assertEquals(output.totalUsage.totalTokens, 14);
  assertEquals(outline(model.requests[0]?.messages ?? []), [
    "user: summary",
    "user: hurry",
    "assistant",
    "tool",
  ]);

  const replayed = await runToolLoop({ model, registry: tools("look", "write"), ...options }, "go");
  assertEquals(replayed.messages, output.messages);
  assertEquals(replayed.history, output.history);
});

Deno.test("a run that a plan ended is replayed without calling prepareIteration", async () => {
  const options = { stepRunner: recordSteps(new MemoryJournal()), runId: "r" };
  await run(scriptedModel([]), plans({ stop: "budget", append: "end" }), options);
  const output = await run(scriptedModel([DONE]), plans({ append: "not called" }), options);
  assertEquals([output.stopReason, output.stopConditionName], ["custom_condition", "budget"]);
  assertEquals(outline(output.messages), ["user: go", "user: end"]);
});

Deno.test("a damaged plan in the journal fails the run with code core", async () => {
  for (
    const plan of [5, "x", { tools: 5 }, { stop: 1 }, { append: [] }, {
      history: { head: [], from: 9 },
    }, {}]
  ) {
    const response = { message: { role: "assistant", content: [] }, finishReason: "stop" };
    const journal = new MemoryJournal();
    const options = { stepRunner: recordSteps(journal), runId: "r" };
    await run(scriptedModel([DONE]), plans(), options);
    const damaged = new MemoryJournal();
    for (const line of journal.toText().trim().split("\n")) {
      const { key, kind, value } = JSON.parse(line);
      await damaged.append({
        v: 1,
        key,
        kind,
        value: kind === "model" ? { ...response, plan } : value,
      });
    }
    const resumed = { stepRunner: recordSteps(damaged), runId: "r" };
    const isEmpty = typeof plan === "object" && Object.keys(plan).length === 0;
    if (isEmpty) await run(scriptedModel([]), plans(), resumed);
    else {
      const error = await assertRejects(() => run(scriptedModel([]), plans(), resumed), AgentError);
      assertEquals(error.code, "core", JSON.stringify(plan));
    }
  }
});

Deno.test("a resumed run must have the same history view", async () => {
  const { messages } = await run(scriptedModel([DONE]), plans());
  const options = { stepRunner: recordSteps(new MemoryJournal()), runId: "r", messages };
  const history = { head: [user("summary")], from: 2 };
  await run(scriptedModel([DONE]), plans(), { ...options, history });
  await run(scriptedModel([]), plans(), { ...options, history });
  const error = await assertRejects(() => run(scriptedModel([]), plans(), options), AgentError);
  assertStringIncludes(error.message, "history");
});

Deno.test("sub-agents do not inherit prepareIteration, but can have their own", async () => {
  const child = scriptedModel([DONE, DONE]);
  const parent = new ToolLoopAgent({
    name: "boss",
    model: scriptedModel([]),
    prepareIteration: () => ({ append: "from the parent" }),
  });
  await parent.initialize();
  await runSubAgentTask(parent, { name: "c", model: child }, "task");
  const prepareIteration = plans({ append: "own" });
  await runSubAgentTask(parent, { name: "c", model: child, prepareIteration }, "task");
  assertEquals(child.requests.map(({ messages }) => outline(messages)), [
    ["user: task"],
    ["user: task", "user: own"],
  ]);
});

Deno.test("prepareIteration causes no events", async () => {
  const summarizer = scriptedModel([{ text: "summary" }]);
  const events: LoopEvent[] = [];
  await run(scriptedModel([DONE]), async ({ messages, signal }) => {
    await summarizer.generate({ messages, tools: [], options: {}, signal });
    return undefined;
  }, { onEvent: (event) => events.push(event) });
  const texts = events.flatMap((event) => event.type === "text_delta" ? [event.text] : []);
  assertEquals(texts.join(""), "done");
});

Deno.test("errors that prepareIteration reports are passed to `onError`", async () => {
  const errors: unknown[] = [];
  const error = new Error("no summary");
  await run(scriptedModel([DONE]), ({ reportError }) => {
    reportError(error);
    return undefined;
  }, { onError: (reported) => errors.push(reported) });
  assertEquals(errors, [error]);
});

Deno.test("runToolLoop() applies a plan from a promise of another realm, and rejects other objects", async () => {
  const run = async (plan: () => unknown) => {
    let executions = 0;
    const registry = new ToolRegistry([{
      name: "wipe",
      inputSchema: { type: "object" },
      execute: () => void executions++,
    }]);
    const model = scriptedModel([{ calls: [{ toolName: "wipe" }] }, { text: "done" }]);
    const config: ToolLoopConfig = { model, registry };
    const running = runToolLoop(Object.assign(config, { prepareIteration: plan }), "go");
    return await running.then(() => executions, (error) => {
      assertEquals([executions, model.requests.length], [0, 0]);
      return String(error);
    });
  };
  class Thenable {
    readonly #plan = { tools: [] };
    then(resolve: (plan: unknown) => void): void {
      resolve(this.#plan);
    }
  }
  assertEquals(await run(() => new Thenable()), 0);
  for (const plan of [new Map([["tools", []]]), new Set(), new (class Plan {})()]) {
    assertStringIncludes(String(await run(() => plan)), '"plan" must be a plain object');
  }
  const rejects = {
    then: (_: unknown, reject: (error: unknown) => void) => reject(new Error("no")),
  };
  assertStringIncludes(String(await run(() => rejects)), "Cannot prepare iteration 0: no");
});
