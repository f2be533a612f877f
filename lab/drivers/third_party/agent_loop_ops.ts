/**
 * `runtime` operations shared by the drivers for third-party agent loops: agents, runs, and saved
 * runs.
 *
 * @module
 */

import {
  BadArgs,
  type Fields,
  fieldsOf,
  isFields,
  type OpCall,
  type Operation,
  textOf,
  Unsupported,
} from "../../../conformance/drivers/typescript/operation.ts";
import { type Decision, ScriptedAgent } from "./agent_loop_driver.ts";

/** Input of a run. */
export interface RunArgs {
  /** The user's message, as text or parts; `undefined` if the run only continues `messages`. */
  readonly input: string | readonly Fields[] | undefined;
  /** The conversation to continue. */
  readonly messages: readonly Fields[];
  /** Storage for the library's state, if the case has a journal. */
  readonly saved: SavedRun | undefined;
  /** The saved state of the run to continue; `undefined` if a new run starts. */
  readonly state: string | undefined;
  /** Decisions for the pending calls of the saved run. */
  readonly decisions: ReadonlyMap<string, Decision> | undefined;
  /** Aborted when the kit aborts the run. */
  readonly signal: AbortSignal;
}

/** An agent from a third-party library. */
export interface LoopAgent {
  /** The agent that the case defines. */
  readonly scripted: ScriptedAgent;
  /** Runs the agent. */
  run(args: RunArgs): Promise<Fields>;
  /** Adds a tool, which the next run offers to the model. */
  register(definition: Fields): void;
  /** Removes a tool. */
  unregister(name: string): void;
  /** Returns the names of the tools. */
  names(): readonly string[];
}

/** The state of a run in the library's own serialized form. */
export class SavedRun {
  /** Returns the serialized state; `undefined` before a run is saved. */
  read: () => string | undefined;
  /** Id of the run whose state is saved. */
  runId: unknown;

  /** Creates a saved run, optionally with the state of an earlier run. */
  constructor(text?: string) {
    this.read = () => text;
  }
}

/**
 * Creates the operations.
 *
 * @param Agent Class that wraps a library agent.
 * @param options Options that the library supports.
 */
export function createLoopOps(
  Agent: new (agent: ScriptedAgent) => LoopAgent,
  options: readonly string[],
): Readonly<Record<string, Operation>> {
  const toAgent = (call: OpCall): LoopAgent =>
    new Agent(new ScriptedAgent(readConfig(call), call.host, options));
  const agentOf = ({ on }: OpCall): LoopAgent => {
    if (on instanceof Agent) return on;
    throw new BadArgs('"on" must be the handle of an agent');
  };
  return {
    "runtime.loop.run": async (call) => await toAgent(call).run(toRunArgs(call)),
    "runtime.agent.new": (call) => ({ handle: call.handles.add(toAgent(call)) }),
    // Agents from third-party libraries need no initialization.
    "runtime.agent.initialize": () => {},
    "runtime.agent.run": async (call) => await agentOf(call).run(toRunArgs(call)),
    "runtime.registry.register": (call) => agentOf(call).register(fieldsOf(call.args, "tool")),
    "runtime.registry.unregister": (call) => agentOf(call).unregister(textOf(call.args, "name")),
    "runtime.registry.names": (call) => ({ names: agentOf(call).names() }),
    "runtime.subagent.create": (call) => {
      const subAgent = agentOf(call).scripted.toSubAgent(fieldsOf(call.args, "config"));
      return { handle: call.handles.add(new Agent(subAgent)) };
    },
    "runtime.journal.new": ({ handles }) => ({ handle: handles.add(new SavedRun()) }),
    "runtime.journal.text": ({ on }) => {
      if (!(on instanceof SavedRun)) throw new BadArgs('"on" must be the handle of a journal');
      const text = on.read();
      if (text === undefined) throw new BadArgs("no run was saved");
      return { text };
    },
  };
}

/** Returns the configuration with live objects instead of handles. */
function readConfig({ args, handles }: OpCall): Fields {
  const config = fieldsOf(args, "config");
  return config.tracer === undefined ? config : { ...config, tracer: handles.get(config.tracer) };
}

function toRunArgs({ args, handles, signal }: OpCall): RunArgs {
  const { input, messages = [], history, runId } = args;
  if (history !== undefined) throw new Unsupported("a run has no view of earlier messages");
  const saved = toSavedRun(args, handles);
  const state = saved?.read();
  const decisions = toDecisions(args.decisions);
  if (decisions !== undefined && state === undefined) {
    throw new Unsupported("decisions apply only to a saved run, not to a new run");
  }
  if (saved !== undefined) {
    saved.runId ??= runId;
    if (saved.runId !== runId) throw new Unsupported("a saved state belongs to one run");
  }
  return {
    input: Array.isArray(input) ? input.filter(isFields) : toText(input),
    messages: Array.isArray(messages) ? messages.filter(isFields) : [],
    saved,
    state,
    decisions,
    signal,
  };
}

function toText(input: unknown): string | undefined {
  return input === undefined ? undefined : textOf({ input }, "input");
}

function toSavedRun({ journal }: Fields, handles: OpCall["handles"]): SavedRun | undefined {
  if (journal === undefined) return undefined;
  if (isFields(journal)) {
    if (journal.otherVersion === true) {
      throw new Unsupported("the version of a saved run cannot be changed");
    }
    return new SavedRun(Array.isArray(journal.texts) ? journal.texts.join("") : "");
  }
  const saved = handles.get(journal);
  if (saved instanceof SavedRun) return saved;
  throw new BadArgs('"journal" must be the handle of a journal');
}

function toDecisions(list: unknown): ReadonlyMap<string, Decision> | undefined {
  if (!Array.isArray(list)) return undefined;
  return new Map(
    list.filter(isFields).map((fields) => {
      const { decision, reason, input } = fields;
      if (input !== undefined) throw new Unsupported("an approval cannot change the input");
      if (decision !== "approve" && decision !== "deny" && decision !== "defer") {
        throw new BadArgs('"decision" must be approve, deny or defer');
      }
      return [
        textOf(fields, "key"),
        { decision, reason: typeof reason === "string" ? reason : undefined },
      ];
    }),
  );
}
