/**
 * `runtime` operations that drivers of third-party agent loops share: agents, runs, and saved runs.
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
} from "../typescript/operation.ts";
import { type Decision, ScriptedAgent } from "./agent_loop_driver.ts";

/** Input of a run. */
export interface RunArgs {
  /** The user's message, as text or parts; `undefined` if the run only continues `messages`. */
  readonly input: string | readonly Fields[] | undefined;
  /** The conversation to continue. */
  readonly messages: readonly Fields[];
  /** Where the library's state is saved after the run, if the case has a journal. */
  readonly saved: SavedRun | undefined;
  /** Decisions for the pending calls of the saved run; `undefined` if a new run starts. */
  readonly decisions: ReadonlyMap<string, Decision> | undefined;
  /** Aborted when the kit aborts the run. */
  readonly signal: AbortSignal;
}

/** An agent of a third-party library. */
export interface LoopAgent {
  /** Runs the agent. */
  run(args: RunArgs): Promise<Fields>;
  /** Adds a tool, which the next run offers to the model. */
  register(definition: Fields): void;
  /** Removes a tool. */
  unregister(name: string): void;
}

/** The state of a run that waits for approval decisions, in the library's own serialized form. */
export class SavedRun {
  /** The serialized state; `undefined` if no run is waiting. */
  text: string | undefined;
  /** Whether the driver has saved a run here or tried to. */
  isUsed: boolean;

  /** Creates the object, optionally with the state of an earlier run. */
  constructor(text?: string) {
    this.text = text;
    this.isUsed = text !== undefined;
  }
}

/**
 * Creates the operations.
 *
 * @param Agent Class that wraps an agent of the library.
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
    // Third-party agents need no initialization.
    "runtime.agent.initialize": () => {},
    "runtime.agent.run": async (call) => await agentOf(call).run(toRunArgs(call)),
    "runtime.registry.register": (call) => agentOf(call).register(fieldsOf(call.args, "tool")),
    "runtime.registry.unregister": (call) => agentOf(call).unregister(textOf(call.args, "name")),
    "runtime.journal.new": ({ handles }) => ({ handle: handles.add(new SavedRun()) }),
    "runtime.journal.text": ({ on }) => {
      if (!(on instanceof SavedRun)) throw new BadArgs('"on" must be the handle of a journal');
      if (on.text === undefined) {
        throw new Unsupported("only a run that waits for an approval can be saved");
      }
      return { text: on.text };
    },
  };
}

/** Returns the configuration with live objects instead of handles. */
function readConfig({ args, handles }: OpCall): Fields {
  const config = fieldsOf(args, "config");
  return config.tracer === undefined ? config : { ...config, tracer: handles.get(config.tracer) };
}

function toRunArgs({ args, handles, signal }: OpCall): RunArgs {
  const { input, messages = [] } = args;
  const saved = toSavedRun(args, handles);
  const decisions = toDecisions(args.decisions);
  if (saved?.isUsed === true && decisions === undefined) {
    throw new Unsupported("a run cannot be repeated from recorded steps");
  }
  if (decisions !== undefined && saved?.text === undefined) {
    throw new Unsupported("decisions apply only to a saved run, not to a new run");
  }
  if (saved !== undefined) saved.isUsed = true;
  return {
    input: Array.isArray(input) ? input.filter(isFields) : toText(input),
    messages: Array.isArray(messages) ? messages.filter(isFields) : [],
    saved,
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
