/**
 * Members of tools and options of other libraries that would have no effect. The error names what
 * to use instead.
 */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ToolLoopAgent, ToolRegistry } from "./mod.ts";
import { openAiChat } from "./models.ts";
import { memoryRuns, openRuns } from "./runs.ts";
import { AgentSession, memorySessions } from "./session.ts";
import { scriptedModel } from "./testing.ts";
import * as tables from "./shared/aliases.ts";

const model = scriptedModel([{ text: "x" }]);
const tool = { name: "t", inputSchema: { type: "object" }, execute: () => 1 };

/** Registers a tool with the given changes, which JavaScript code can make. */
function register(changes: Record<string, unknown>): ToolRegistry {
  return new ToolRegistry([{ ...tool, ...changes } as never]);
}

const DECIDE = 'is not supported; decide in the "approvalHandler" of the agent';
const IGNORED: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ needsApproval: true }, `Cannot register tool "t": "needsApproval" ${DECIDE}`],
  [{ needsApproval: async () => await Promise.resolve(true) }, `"needsApproval" ${DECIDE}`],
  [{ needs_approval: true }, `"needs_approval" ${DECIDE}`],
  [{ needApproval: true }, `"needApproval" ${DECIDE}`],
  [{ requiresApproval: "always" }, `"requiresApproval" ${DECIDE}`],
  [{ hidden: true }, 'pass { hidden: true } to "register" of the registry'],
  [{ enabled: false }, "register the tool only while it is enabled"],
  [{ readOnly: true }, '"readOnly" is not supported; did you mean "annotations.readOnly"?'],
  [{ destructiveHint: true }, 'did you mean "annotations.destructive"?'],
  [{ annotation: {} }, '"annotation" is not supported; did you mean "annotations"?'],
  [{ exclusiv: true }, 'did you mean "exclusive"?'],
  [{ timeout: 5 }, 'did you mean "timeoutMs"?'],
  [{ timeoutMS: 5 }, 'did you mean "timeoutMs"?'],
  [{ exclusive: "true" }, '"exclusive" must be a boolean, got "true"'],
  [{ annotations: true }, '"t.annotations" must be an object, got true'],
  [
    { annotations: { destructiveHint: true } },
    '"t.annotations" must have only known options, got "destructiveHint"; did you mean "destructive"?',
  ],
  [{ annotations: { readonly: true } }, 'got "readonly"; did you mean "readOnly"?'],
  [{ annotations: { destructive: "true" } }, '"t.annotations.destructive" must be a boolean'],
];
for (const [changes, message] of IGNORED) {
  Deno.test(`a tool with ${JSON.stringify(changes)} is not registered`, () => {
    assertThrows(() => register(changes), TypeError, message);
  });
}

Deno.test("a member that a tool inherits is also found, and an undefined member is not", () => {
  const inherited = Object.assign(Object.create({ needsApproval: true }), tool);
  assertThrows(() => new ToolRegistry([inherited]), TypeError, '"needsApproval"');
  const changes = { needsApproval: undefined, exclusive: undefined, annotations: undefined };
  assertEquals(register(changes).names(), ["t"]);
});

Deno.test("a tool can have other members and methods", () => {
  class Counter {
    readonly name = "count";
    readonly inputSchema = { type: "object" };
    readonly annotations = { readOnly: true };
    executed = 0;
    client = {};
    approve(): void {}
    execute(): number {
      return ++this.executed;
    }
  }
  assertEquals(new ToolRegistry([new Counter()]).names(), ["count"]);
});

Deno.test("the members of a tool are read once", () => {
  let reads = 0;
  const getters = {
    ...tool,
    get name() {
      return reads++ === 0 ? "t" : "not a name";
    },
  };
  assertEquals(new ToolRegistry([getters]).definitions().map(({ name }) => name), ["t"]);
});

const OPTIONS: readonly (readonly [string, string])[] = [
  ["instructions", 'did you mean "systemPrompt"?'],
  ["maxTokens", 'did you mean "generateOptions.maxOutputTokens"?'],
  ["max_steps", 'did you mean "maxIterations"?'],
  ["temperature", 'did you mean "generateOptions.temperature"?'],
  ["needsApproval", 'did you mean "approvalHandler"?'],
  ["canUseTool", 'did you mean "approvalHandler"?'],
  ["onStepFinish", 'did you mean "onEvent"?'],
  ["prompt", 'set "systemPrompt", or pass the message to the run'],
  ["maxToolCalls", 'did you mean "budget.maxToolCalls"?'],
  ["abortSignal", 'pass "signal" to the run'],
  ["messages", 'pass "messages" to the run'],
];
for (const [name, hint] of OPTIONS) {
  Deno.test(`an agent with the option ${name} of another library is not created`, () => {
    const config = { name: "a", model, [name]: 1 };
    const message = `"config" must have only known options, got "${name}"; ${hint}`;
    assertThrows(() => new ToolLoopAgent(config), TypeError, message);
  });
}

const RUN_OPTIONS: readonly (readonly [string, string])[] = [
  ["abortSignal", 'did you mean "signal"?'],
  ["approvalHandler", 'set "approvalHandler" in the configuration of the agent'],
  ["maxSteps", 'set "maxIterations" in the configuration of the agent'],
  ["maxToolCalls", 'did you mean "budget.maxToolCalls"?'],
  ["prompt", "pass the message as the first argument"],
];
for (const [name, hint] of RUN_OPTIONS) {
  Deno.test(`a run with the option ${name} of another object does not start`, async () => {
    const agent = new ToolLoopAgent({ name: "a", model });
    const message = `"options" must have only known options, got "${name}"; ${hint}`;
    await assertRejects(() => agent.run("x", { [name]: 1 }), TypeError, message);
  });
}

Deno.test("a model with the option of another library is not created", () => {
  const options = { baseUrl: "http://127.0.0.1:9/v1", model: "m" };
  const create = (changes: Record<string, unknown>) => openAiChat({ ...options, ...changes });
  assertThrows(() => create({ defaultHeaders: {} }), TypeError, 'did you mean "headers"?');
  assertThrows(() => create({ max_tokens: 5 }), TypeError, 'set "generateOptions.maxOutputTokens"');
});

Deno.test("the errors of sessions, durable runs and MCP tools suggest options", async () => {
  const agent = new ToolLoopAgent({ name: "a", model });
  const session = { id: "s", store: memorySessions() };
  assertThrows(
    () => new AgentSession(agent, { ...session, threadId: "t" } as never),
    TypeError,
    'got "threadId"; did you mean "id"?',
  );
  await using runs = openRuns(memoryRuns(), {});
  const run = { runId: "r", agent: "a", prompt: "x" } as never;
  await assertRejects(() => runs.start(run), TypeError, 'got "prompt"; did you mean "input"?');
  const source = { listTools: () => Promise.resolve([]), callTool: () => Promise.resolve({}) };
  const register = (options: object) => new ToolRegistry().registerMcp(source, options);
  const hints = [
    [{ allowedTools: ["read"] }, 'did you mean "filter"?'],
    [{ requireApproval: "always" }, 'decide in the "approvalHandler" of the agent'],
  ] as const;
  for (const [options, hint] of hints) {
    await assertRejects(() => register(options), TypeError, hint);
  }
});

Deno.test("each alias suggests a name or a remedy, and never itself", () => {
  for (const [table, aliases] of Object.entries(tables)) {
    for (const [name, hint] of Object.entries(aliases)) {
      assertEquals(hint === "" || hint === name, false, `${table}.${name}`);
    }
  }
});
