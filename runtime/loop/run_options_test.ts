import { assertEquals } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { asTool } from "../agent/agent_tool.ts";
import { createSubAgent, runSubAgentTask, type SubAgentConfig } from "../agent/sub_agent.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { AgentSession, memorySessions } from "../session.ts";
import { scriptedModel } from "../testing.ts";
import type { Tool } from "../tools/tool.ts";
import type { RunOptions } from "./options.ts";
import type { LoopEvent } from "./events.ts";

/** Forms in which a caller can write an object with options. */
const FORMS: Readonly<Record<string, (options: object) => object>> = {
  "own members": (options) => ({ ...options }),
  "inherited members": (options) => Object.create(options),
  "getters of a class": (options) => {
    class Options {}
    for (const [name, value] of Object.entries(options)) {
      Object.defineProperty(Options.prototype, name, { get: () => value, enumerable: true });
    }
    return new Options();
  },
  "members that change after the first access": (options) => {
    const changing = {};
    for (const [name, value] of Object.entries(options)) {
      let reads = 0;
      // The check of the names accesses each member once more.
      const get = () => reads++ < 2 ? value : undefined;
      Object.defineProperty(changing, name, { get, enumerable: true });
    }
    return changing;
  },
};

/** Calls a function with options whose type is not checked. */
function call<Result>(
  callee: (...args: never[]) => Result,
  owner: unknown,
  ...args: readonly unknown[]
): Result {
  return Reflect.apply(callee, owner, args);
}

async function readAll(events: AsyncIterator<unknown, unknown>): Promise<void> {
  while (!(await events.next()).done);
}

const RUNS: Readonly<Record<string, (agent: ToolLoopAgent, options: object) => Promise<unknown>>> =
  {
    "agent.run()": (agent, options) => call(agent.run, agent, "go", options),
    "agent.stream()": (agent, options) => readAll(call(agent.stream, agent, "go", options)),
    "session.run()": (agent, options) => {
      const session = new AgentSession(agent, { id: "s", store: memorySessions() });
      return call(session.run, session, "go", options);
    },
    "session.stream()": (agent, options) => {
      const session = new AgentSession(agent, { id: "s", store: memorySessions() });
      return readAll(call(session.stream, session, "go", options));
    },
    "runSubAgentTask()": (agent, options) => {
      const config = { name: "child", model: scriptedModel([{ text: "done" }]) };
      return call(runSubAgentTask, undefined, agent, config, "go", options);
    },
  };

for (const [name, start] of Object.entries(RUNS)) {
  for (const [form, write] of Object.entries(FORMS)) {
    Deno.test(`${name} uses all options that are ${form}`, async () => {
      const journal = new MemoryJournal();
      const seen = { events: 0, steps: 0, times: 0 };
      const options: RunOptions = {
        stepRunner: recordSteps(journal),
        onEvent: (event: LoopEvent) => {
          if (event.type === "run_started") seen.events++;
        },
        around: (_step, next) => {
          seen.steps++;
          return next();
        },
        now: () => ++seen.times,
        ...name.startsWith("session") ? {} : { runId: "r" },
      };
      const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "done" }]) });
      await start(agent, write(options));
      assertEquals([journal.size, seen.events, seen.steps, seen.times > 0], [2, 1, 2, true]);
      assertEquals(journal.get("r/start") !== undefined, !name.startsWith("session"));

      const signal = AbortSignal.abort();
      const model = scriptedModel([]);
      const other = new ToolLoopAgent({ name: "a", model });
      await start(other, write({ signal })).catch(() => {});
      assertEquals(model.requests.length, 0);
    });
  }
}

/** Names of the options of a sub-agent that it inherits from its parent. */
const PROTECTIONS = ["approvalHandler", "onError"] as const;

for (const absent of ["absent", "undefined", "an inherited undefined"]) {
  Deno.test(`a sub-agent uses its parent's protections if its own are ${absent}`, async () => {
    const executed: string[] = [];
    const wipe: Tool = {
      name: "wipe",
      inputSchema: { type: "object" },
      execute: () => void executed.push("wipe"),
    };
    const missing = Object.fromEntries(PROTECTIONS.map((name) => [name, undefined]));
    const configOf = (turns: Parameters<typeof scriptedModel>[0]): SubAgentConfig => {
      const config = { name: "helper", description: "d", model: scriptedModel(turns) };
      if (absent === "absent") return config;
      return absent === "undefined"
        ? { ...config, ...missing }
        : Object.assign(Object.create(missing), config);
    };
    const turns = [{ calls: [{ toolName: "wipe" }] }, { text: "done" }];
    const errors: unknown[] = [];
    const makeParent = (more: readonly Tool[] = []): ToolLoopAgent =>
      new ToolLoopAgent({
        name: "boss",
        model: scriptedModel([
          { calls: [{ toolName: "helper", input: { task: "x" } }] },
          { text: "done" },
        ]),
        tools: [wipe, ...more],
        approvalHandler: ({ toolCall: { toolName } }) => {
          if (toolName === "helper") return true;
          throw new Error("refused");
        },
        onError: (error) => void errors.push(error),
      });
    const withoutDescription = (config: SubAgentConfig): SubAgentConfig =>
      Object.defineProperty(config, "description", { value: undefined, enumerable: true });
    await createSubAgent(makeParent(), withoutDescription(configOf(turns))).run("go");
    await runSubAgentTask(makeParent(), withoutDescription(configOf(turns)), "go");
    const tool: unknown = call(asTool, undefined, configOf(turns));
    await makeParent([tool as Tool]).run("go");
    assertEquals([executed, errors.length], [[], 3]);
  });
}
