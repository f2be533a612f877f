import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { asTool } from "../agent/agent_tool.ts";
import { runSubAgentTask } from "../agent/sub_agent.ts";
import { compactHistory } from "../context.ts";
import { MemoryJournal, recordSteps, type StepRunner } from "../journal.ts";
import { AgentSession, memorySessions } from "../session.ts";
import { AgentError } from "../shared/error.ts";
import type { FinishReason, LanguageModel, ModelRequest, UserMessage } from "../shared/model.ts";
import type { PartialLoopOutput, ToolLoopOutput } from "../shared/output.ts";
import { findTranscriptViolation } from "../testing.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { ApprovalDecision, ApprovalRequest } from "./approval.ts";
import type { IterationContext, IterationPlan } from "./iteration_plan.ts";
import type { LoopOptions } from "./options.ts";

/** A random model's behavior in one turn. */
type Turn =
  | { readonly kind: "calls"; readonly calls: readonly Call[]; readonly finishReason: FinishReason }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "fails" }
  | { readonly kind: "rubbish" };

interface Call {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly isBadJson: boolean;
}

interface Scenario {
  readonly turns: readonly Turn[];
  readonly childTurns: readonly Turn[];
  readonly options: LoopOptions;
  readonly decisions: readonly ("approve" | "deny" | "defer" | "throw")[];
  /** Plans that `prepareIteration` returns, one per iteration. */
  readonly plans: readonly PlanKind[];
  /** Behavior of `repairToolCall` when the input is not valid JSON. */
  readonly repair: "none" | "repairs" | "throws";
  /** Whether the `around` option is set. */
  readonly hasAround: boolean;
}

type PlanKind =
  | "none"
  | "append"
  | "compact"
  | "summarize"
  | "messages"
  | "tools"
  | "stop"
  | "throws";

/**
 * Callbacks that observe an agent and decide whether to repeat tool calls whose outcome is unknown.
 */
interface Probe {
  /** Called before every model, tool and handler call. */
  readonly onStep?: () => void;
  /** Called when a tool is executed. */
  readonly onExecute?: (context: ToolContext) => void;
  /** Returns whether a tool whose outcome is unknown is executed again. */
  readonly mayRepeat?: (request: ApprovalRequest) => boolean;
}

/** A message that is long enough to be replaced with a summary. */
const TASK = "go ".repeat(60);

const TOOLS = [
  "quick",
  "later",
  "throws",
  "circular",
  "stops",
  "alone",
  "delegates",
  "expert",
  "secret",
  "unknown",
  "final_answer",
];

const calls: fc.Arbitrary<Turn> = fc.record({
  kind: fc.constant("calls" as const),
  calls: fc.array(
    fc.record({
      toolName: fc.constantFrom(...TOOLS),
      toolCallId: fc.constantFrom("", "c1", "c2", "c3"),
      isBadJson: fc.integer({ min: 0, max: 4 }).map((value) => value === 0),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  finishReason: fc.constantFrom<FinishReason[]>(
    "tool-calls",
    "tool-calls",
    "stop",
    "length",
    "content-filter",
  ),
});

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 8, arbitrary: calls },
  {
    weight: 1,
    arbitrary: fc.constantFrom("done", "{}", '{"total":1}').map((text): Turn => ({
      kind: "text",
      text,
    })),
  },
  { weight: 1, arbitrary: fc.constant<Turn>({ kind: "fails" }) },
  { weight: 1, arbitrary: fc.constant<Turn>({ kind: "rubbish" }) },
);

const scenario: fc.Arbitrary<Scenario> = fc.record({
  turns: fc.array(turn, { maxLength: 6 }),
  childTurns: fc.array(turn, { maxLength: 3 }),
  options: fc.record({
    maxIterations: fc.integer({ min: 1, max: 6 }),
    toolConcurrency: fc.integer({ min: 1, max: 3 }),
    maxToolCallsPerIteration: fc.integer({ min: 1, max: 4 }),
    onMaxIterations: fc.constantFrom("return", "throw", "finalize"),
    onAbort: fc.constantFrom("return", "throw"),
    onToolError: fc.constantFrom("continue", "continue", "throw"),
    onUnknownTool: fc.constantFrom("continue", "continue", "throw"),
    output: fc.constantFrom({ type: "object" }, { type: "object", required: ["total"] }),
    outputMode: fc.constantFrom("tool", "tool", "native"),
    outputRetries: fc.integer({ min: 0, max: 2 }),
  }, {
    requiredKeys: [
      "maxIterations",
      "toolConcurrency",
      "maxToolCallsPerIteration",
      "onMaxIterations",
      "onAbort",
      "onToolError",
      "onUnknownTool",
    ],
  }),
  decisions: fc.array(fc.constantFrom("approve", "approve", "deny", "throw"), { maxLength: 5 }),
  plans: fc.array(
    fc.constantFrom<PlanKind[]>(
      "none",
      "append",
      "compact",
      "compact",
      "summarize",
      "summarize",
      "messages",
      "tools",
      "tools",
      "stop",
      "throws",
    ),
    { maxLength: 6 },
  ),
  repair: fc.constantFrom("none", "repairs", "throws"),
  hasAround: fc.boolean(),
});

/** The steps at which the runs of a process crash, before or after the step is recorded. */
const kills = fc.array(
  fc.record({ at: fc.integer({ min: 0, max: 6 }), isBefore: fc.boolean() }),
  { maxLength: 4 },
);

const unknownOutcome = fc.constantFrom("repeat" as const, "ask" as const, "tell" as const);

/** An external action at a random step in the run. */
const intervention = fc.record({
  at: fc.integer({ min: 0, max: 25 }),
  what: fc.constantFrom("nothing", "abort", "terminate", "pause"),
});

const SUMMARY: UserMessage = { role: "user", content: [{ type: "text", text: "summary" }] };

const summarize = compactHistory({
  model: {
    modelId: "summarizer",
    generate: ({ messages }) => {
      assertEquals(findTranscriptViolation(messages), undefined);
      return Promise.resolve({
        message: { role: "assistant", content: [{ type: "text", text: "short" }] },
        finishReason: "stop",
        usage: { inputTokens: 3, outputTokens: 1, totalTokens: 4 },
      });
    },
  },
  maxInputTokens: 40,
  keepTurns: 1,
});

/**
 * Returns the plan for an iteration. The plan depends only on the transcript, so a restarted run
 * gets the same plans.
 */
async function makePlan(
  kind: PlanKind | undefined,
  context: IterationContext,
): Promise<IterationPlan | undefined> {
  const { messages, view } = context;
  await Promise.resolve();
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  switch (kind) {
    case "append":
      return { append: "faster", usage };
    case "compact": {
      const from = messages.findLastIndex(({ role }) => role === "assistant");
      return from < 0 ? undefined : { history: { head: [SUMMARY], from }, usage };
    }
    case "summarize":
      return await summarize(context);
    case "messages":
      return { messages: view.filter(({ role }) => role === "user") };
    case "tools":
      return { tools: ["quick", "throws", "delegates", "expert"] };
    case "stop":
      return { stop: "enough", append: "stop here" };
    case "throws":
      throw new Error("no plan");
    default:
      return undefined;
  }
}

function textOf(turn: Turn | undefined): string {
  return turn?.kind === "text" ? turn.text : "done";
}

/**
 * Selects the response by the length of the conversation, so a restarted run gets the same
 * responses.
 */
function randomModel(turns: readonly Turn[], onCall: () => void): LanguageModel {
  return {
    modelId: "random",
    async generate({ messages, tools }: ModelRequest) {
      onCall();
      assertEquals(findTranscriptViolation(messages), undefined);
      await Promise.resolve();
      const next = turns[messages.filter(({ role }) => role === "assistant").length];
      if (next?.kind === "fails") throw new Error("the model is down");
      if (next?.kind === "rubbish") return { message: 5 } as never;
      if (next?.kind !== "calls" || tools.length === 0) {
        return {
          message: { role: "assistant", content: [{ type: "text", text: textOf(next) }] },
          finishReason: "stop",
        };
      }
      const content = next.calls.map(({ toolName, toolCallId, isBadJson }) => ({
        type: "tool-call" as const,
        toolName,
        toolCallId,
        input: {},
        ...isBadJson ? { rawInput: "{" } : {},
      }));
      return { message: { role: "assistant", content }, finishReason: next.finishReason };
    },
  };
}

/** Creates an agent for a scenario. */
function makeAgent(
  { turns, childTurns, options, decisions, plans, repair, hasAround }: Scenario,
  { onStep = () => {}, onExecute, mayRepeat }: Probe = {},
): ToolLoopAgent {
  const { onUnknownOutcome = "repeat" } = options;
  const agent: ToolLoopAgent = new ToolLoopAgent({
    name: "random",
    model: randomModel(turns, onStep),
    onUnknownOutcome,
    ...options,
    graceMs: 0,
    modelRetries: 0,
    onError: () => {},
    ...hasAround && {
      around: async (_step, next) => {
        onStep();
        await Promise.resolve();
        return await next();
      },
    },
    prepareIteration: async (context) => {
      onStep();
      return await makePlan(plans[context.iteration], context);
    },
    ...repair === "none" ? {} : {
      repairToolCall: async () => {
        onStep();
        await Promise.resolve();
        if (repair === "throws") throw new Error("beyond repair");
        return { input: {} };
      },
    },
    approvalHandler: async (request) => {
      const { iteration, reason, toolCall } = request;
      onStep();
      await Promise.resolve();
      if (mayRepeat && reason === "outcome_unknown") return mayRepeat(request);
      const decision =
        decisions[(toolCall.toolCallId.length + iteration) % Math.max(decisions.length, 1)];
      if (decision === "throw") throw new Error("no judge");
      return { decision: decision ?? "approve" };
    },
  });
  const child = {
    model: randomModel(childTurns, onStep),
    allowedTools: ["quick", "later", "secret"],
    maxIterations: 3,
    onUnknownOutcome,
    modelRetries: 0,
    graceMs: 0,
  };
  const bodies: Readonly<Record<string, (input: unknown, context: ToolContext) => unknown>> = {
    quick: () => "quick",
    later: async () => {
      for (let tick = 0; tick < 3; tick++) await Promise.resolve();
      return { later: true };
    },
    throws: () => Promise.reject(new Error("kaboom")),
    circular: () => {
      const value: Record<string, unknown> = {};
      value.self = value;
      return value;
    },
    stops: (_, context) => context.stop(),
    alone: () => Promise.resolve("alone"),
    secret: () => "secret",
    delegates: async (_, context) =>
      (await runSubAgentTask(agent, { name: "child", ...child }, "help", { context })).finalText,
  };
  for (const [name, body] of Object.entries(bodies)) {
    agent.registry.register({
      name,
      inputSchema: { type: "object" },
      exclusive: name === "alone",
      execute(input: unknown, context): unknown {
        onStep();
        onExecute?.(context);
        return body(input, context);
      },
    }, { hidden: name === "secret" });
  }
  agent.registry.register(asTool({
    ...child,
    name: "expert",
    description: "Answers with an object",
    inputSchema: { type: "object" },
    output: { type: "object" },
  }));
  return agent;
}

function checkOutput(output: PartialLoopOutput | undefined): void {
  assert(output !== undefined, "the partial output is missing");
  assertEquals(findTranscriptViolation(output.messages), undefined);
  for (const { toolCalls, toolResults } of output.iterations) {
    assertEquals(
      toolResults.map(({ toolCallId }) => toolCallId),
      toolCalls.map(({ toolCallId }) => toolCallId),
    );
    // The tool is hidden, so only sub-agents can call it.
    for (const { code, toolName } of toolResults) if (toolName === "secret") assert(code);
  }
}

/** Waits for a run to resolve or reject, and validates its output. */
async function settle(run: Promise<ToolLoopOutput>): Promise<ToolLoopOutput | string> {
  try {
    const output = await run;
    checkOutput(output);
    if ("value" in output) assertEquals(output.value, JSON.parse(output.finalText));
    if (output.stopReason === "output_invalid") assert(!("value" in output) && output.outputIssues);
    return output;
  } catch (error) {
    if (AgentError.isAgentError(error)) {
      checkOutput(error.partialOutput);
      return error.code;
    }
    assert(error instanceof DOMException, String(error));
    checkOutput(Object.getOwnPropertyDescriptor(error, "partialOutput")?.value);
    return error.name;
  }
}

Deno.test("every run ends with a valid transcript for any responses, aborts, pauses and terminations", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, intervention, async (given, { at, what }) => {
      const controller = new AbortController();
      let step = 0;
      const side: Promise<unknown>[] = [];
      const onStep = (): void => {
        if (step++ !== at) return;
        if (what === "abort") controller.abort();
        if (what === "terminate") side.push(agent.terminate());
        if (what === "pause") side.push(agent.pause().then(() => agent.resume()));
      };
      const agent = makeAgent(given, { onStep });
      await agent.initialize();
      await settle(agent.run(TASK, { signal: controller.signal }));
      await Promise.all(side);
      assertEquals(
        agent.lifecycle.state,
        what === "terminate" && step > at ? "terminated" : "ready",
      );
      await agent.terminate();
    }),
    propertyRuns(300),
  );
});

class Crash extends Error {}

/**
 * Creates a step runner that crashes before or after recording a step, and never runs a recorded
 * step again.
 */
function crashing(
  journal: MemoryJournal,
  at: number,
  isBefore: boolean,
  onCrash = (): void => {},
): StepRunner {
  const inner = recordSteps(journal);
  const crash = (): never => {
    onCrash();
    throw new Crash();
  };
  let step = 0;
  return {
    async run(key, kind, work) {
      const isRecorded = journal.get(key) !== undefined;
      const crashes = !isRecorded && step++ === at;
      if (crashes && isBefore) crash();
      const value = await inner.run(key, kind, () => {
        assert(!isRecorded, `step ${key} was run again although it is recorded`);
        return work();
      });
      if (crashes) crash();
      return value;
    },
  };
}

/** The output of a resumed run, and a function that replays the run. */
interface Resumption {
  readonly resumed: ToolLoopOutput | string;
  /** Replays the recorded steps, and asserts that the output equals that of the resumed run. */
  replay(): Promise<void>;
}

/** Starts a run that crashes at each of the given steps, and resumes it from its journal. */
async function crashAndResume(
  crashes: readonly { readonly at: number; readonly isBefore: boolean }[],
  start: (stepRunner: StepRunner) => Promise<ToolLoopOutput | string>,
): Promise<Resumption> {
  let journal = new MemoryJournal();
  for (const { at, isBefore } of crashes) {
    await start(crashing(journal, at, isBefore));
    journal = MemoryJournal.fromText(journal.toText());
  }
  const resumed = await start(recordSteps(journal));
  return {
    resumed,
    async replay() {
      const recorded = MemoryJournal.fromText(journal.toText());
      const replayed = await start(crashing(recorded, Infinity, true));
      assertEquals(comparable(replayed), comparable(resumed));
    },
  };
}

/** Removes the durations, which are equal only in runs that are replayed from the same journal. */
function comparable(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result, (key, value) => key === "durationMs" ? 0 : value));
}

Deno.test('a run that crashes at arbitrary steps and is resumed returns the same output if `onUnknownOutcome` is "repeat"', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, kills, async (given, crashes) => {
      const start = async (stepRunner?: StepRunner): Promise<ToolLoopOutput | string> => {
        const agent = makeAgent(given);
        await agent.initialize();
        const result = await settle(
          agent.run(TASK, stepRunner === undefined ? {} : { stepRunner, runId: "r" }),
        );
        await agent.terminate();
        return result;
      };
      const { resumed, replay } = await crashAndResume(crashes, start);
      assertEquals(comparable(resumed), comparable(await start()));
      await replay();
      const other = makeAgent({ ...given, hasAround: !given.hasAround });
      assertEquals(comparable(await settle(other.run(TASK))), comparable(resumed));
    }),
    propertyRuns(150),
  );
});

Deno.test('a run that is resumed executes no tool twice without a decision if `onUnknownOutcome` is "tell" or "ask"', async () => {
  const mode = fc.constantFrom("ask" as const, "tell" as const);
  await fc.assert(
    fc.asyncProperty(
      scenario,
      kills,
      mode,
      fc.boolean(),
      async (random, crashes, mode, repeats) => {
        const given = { ...random, options: { ...random.options, onUnknownOutcome: mode } };
        const executions = new Map<string, number>();
        const repetitions = new Map<string, number>();
        const probe: Probe = {
          onExecute: (context) => increment(executions, context, context.toolCallId),
          mayRepeat(request) {
            if (repeats) increment(repetitions, request, request.toolCall.toolCallId);
            return repeats;
          },
        };
        const start = async (stepRunner: StepRunner): Promise<ToolLoopOutput | string> => {
          const agent = makeAgent(given, probe);
          const result = await settle(agent.run(TASK, { stepRunner, runId: "r" }));
          await agent.terminate();
          return result;
        };
        const { resumed, replay } = await crashAndResume(crashes, start);
        for (const [key, count] of executions) {
          const allowed = 1 + (repetitions.get(key) ?? 0);
          assert(count <= allowed, `call ${key} was executed ${count} times, expected ${allowed}`);
        }
        const isUnknown = typeof resumed !== "string" &&
          resumed.iterations.some(({ toolResults }) =>
            toolResults.some(({ code }) => code === "outcome_unknown")
          );
        assert(!isUnknown || crashes.length > 0);
        executions.clear();
        await replay();
        if (typeof resumed !== "string") assertEquals(executions.size, 0);
      },
    ),
    propertyRuns(150),
  );
});

function increment(
  counts: Map<string, number>,
  { runId, iteration }: { readonly runId: string; readonly iteration: number },
  toolCallId: string,
): void {
  const key = `${runId} ${iteration} ${toolCallId}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

Deno.test("a session whose process crashes at arbitrary steps stores the same conversation", async () => {
  const tasks = fc.integer({ min: 1, max: 4 });
  await fc.assert(
    fc.asyncProperty(scenario, tasks, kills, async (given, count, crashes) => {
      const converse = async (
        kills: readonly { readonly at: number; readonly isBefore: boolean }[],
      ): Promise<unknown> => {
        const store = memorySessions();
        const left = [...kills];
        let journal = new MemoryJournal();
        const results: unknown[] = [];
        while (results.length < count) {
          const { at, isBefore } = left.shift() ?? { at: Infinity, isBefore: true };
          let hasCrashed = false;
          const stepRunner = crashing(journal, at, isBefore, () => hasCrashed = true);
          const agent = makeAgent(given);
          const session = new AgentSession(agent, { id: "s", store, stepRunner });
          const run = session.run(`${results.length} ${TASK}`);
          const [{ status }] = await Promise.allSettled([run]);
          await agent.terminate();
          journal = MemoryJournal.fromText(journal.toText());
          if (hasCrashed) assertEquals(status, "rejected");
          else results.push(comparable(await settle(run)));
        }
        const records = await store.load("s");
        return { results, records: comparable(records) };
      };
      assertEquals(await converse(crashes), await converse([]));
    }),
    propertyRuns(100),
  );
});

Deno.test("a run returns the same output with deferred and with immediate approvals", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, unknownOutcome, fc.boolean(), async (random, mode, isApproved) => {
      const given = { ...random, options: { ...random.options, onUnknownOutcome: mode } };
      const decision: ApprovalDecision = isApproved
        ? { decision: "approve" }
        : { decision: "deny" };
      const immediate = makeAgent({ ...given, decisions: [isApproved ? "approve" : "deny"] });
      await immediate.initialize();
      const expected = await settle(immediate.run(TASK));

      const journal = new MemoryJournal();
      const decisions: Record<string, ApprovalDecision> = {};
      let result: ToolLoopOutput | string;
      for (let round = 0;; round++) {
        assert(round < 100, "the run does not end");
        const agent = makeAgent({ ...given, decisions: ["defer"] });
        await agent.initialize();
        result = await settle(
          agent.run(TASK, { runId: "r", stepRunner: recordSteps(journal), decisions }),
        );
        await agent.terminate();
        if (typeof result === "string" || result.stopReason !== "approval_pending") break;
        for (const { key } of result.pending?.approvals ?? []) decisions[key] = decision;
      }
      assertEquals(comparable(result), comparable(expected));
      await immediate.terminate();
    }),
    propertyRuns(100),
  );
});
