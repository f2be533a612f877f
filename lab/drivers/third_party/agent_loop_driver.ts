/**
 * Shared code for drivers for third-party agent loops: reads the configuration of an agent, rejects
 * unsupported options, and calls the scripted model, tools and approval handlers.
 *
 * @module
 */

import {
  BadArgs,
  type Fields,
  fieldsOf,
  type HostClient,
  HostError,
  isFields,
  StoppingValue,
  textOf,
  Unsupported,
} from "../../../conformance/drivers/typescript/operation.ts";
import { RunEnded } from "./wire_tools.ts";

/** A tool defined in a case. */
export interface ToolSpec {
  /** Name of the tool. */
  readonly name: string;
  /** Tool description for the model. */
  readonly description: string | undefined;
  /** JSON Schema for the input. */
  readonly inputSchema: Fields;
  /** Whether the case defines the JSON Schema. */
  readonly hasInputSchema: boolean;
  /** Timeout for the tool, in milliseconds. */
  readonly timeoutMs: number | undefined;
  /** Whether the tool is hidden from the model. */
  readonly isHidden: boolean;
  /** Name of a span that the tool starts before it calls the kit. */
  readonly span: string | undefined;
  /** Agent that the tool runs with the `task` property of its input, instead of calling the kit. */
  readonly subAgent: ScriptedAgent | undefined;
  /** Agent that the library itself converts to a tool. */
  readonly agent: ScriptedAgent | undefined;
}

/** A response from the scripted model. */
export interface ModelResponse {
  /** Text, reasoning and tool calls. */
  readonly content: readonly Fields[];
  /** Finish reason, as one of the AI SDK's values. */
  readonly finishReason: string;
  /** Token counts; `undefined` if the model reports none. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
}

/** An invalid response from the scripted model, in the form that the case defines. */
export interface MalformedResponse {
  /** Invalid response, or its members. */
  readonly malformed: unknown;
}

/** A decision made by the scripted approval handler. */
export interface Decision {
  /** Whether the call is approved, denied or deferred. */
  readonly decision: "approve" | "deny" | "defer";
  /** Reason for the decision. */
  readonly reason: string | undefined;
}

/** Options that most loops support. */
export const COMMON_OPTIONS: readonly string[] = [
  "systemPrompt",
  "maxIterations",
  "generateOptions",
  "approval",
  "stop",
  "tools",
  "toolConcurrency",
  "toolTimeoutMs",
  "modelRetries",
];

/**
 * Options that have no effect in a driver: names, and the grace period for a tool that ignores an
 * abort.
 */
const WITHOUT_EFFECT = ["name", "agentDid", "model", "graceMs"];

/** An agent that a case defines: its configuration, and the kit's host functions that it calls. */
export class ScriptedAgent {
  /** Configuration of the agent. */
  readonly config: Fields;
  readonly #host: HostClient;
  readonly #options: readonly string[];
  /** The agent whose tool runs this agent. */
  readonly #parent: ScriptedAgent | undefined;
  /** Aborted when the kit aborts the current run. */
  #signal: AbortSignal = AbortSignal.any([]);
  /** Aborted when a callback uses an unsupported feature. */
  #unsupported: AbortController = new AbortController();

  /**
   * Reads the configuration of an agent.
   *
   * @param options Options that the library supports.
   * @param parent The agent whose tool runs this agent.
   * @throws {Unsupported} If the configuration contains an unsupported option.
   */
  constructor(
    config: Fields,
    host: HostClient,
    options: readonly string[],
    parent?: ScriptedAgent,
  ) {
    this.config = config;
    this.#parent = parent;
    this.#host = host;
    this.#options = options;
    const known = [...WITHOUT_EFFECT, ...options];
    const unsupported = Object.keys(config).find((name) => !known.includes(name));
    if (unsupported !== undefined) {
      throw new Unsupported(`option "${unsupported}" is not supported`);
    }
  }

  /**
   * Runs the agent.
   *
   * Calls the library with a signal that is aborted when the kit aborts the run or a callback uses
   * an unsupported feature. If a callback uses an unsupported feature, the run rejects.
   */
  async run<T>(abortSignal: AbortSignal, loop: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#unsupported = new AbortController();
    const { signal } = this.#unsupported;
    this.#signal = AbortSignal.any([abortSignal, signal]);
    const unsupported = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    // Prevents an unhandled rejection if `unsupported` rejects after the loop has ended.
    unsupported.catch(() => {});
    return await Promise.race([loop(this.#signal), unsupported]);
  }

  /**
   * Reports the run as `unsupported` and ends it. Returns an error for the callback to throw, so
   * that the library stops the run.
   */
  rejectUnsupported(reason: string): Unsupported {
    if (this.#parent !== undefined) return this.#parent.rejectUnsupported(reason);
    const error = new Unsupported(reason);
    this.#unsupported.abort(error);
    return error;
  }

  /** Returns a numeric option. */
  number(name: string): number | undefined {
    const value = this.config[name];
    return typeof value === "number" ? value : undefined;
  }

  /** Returns a string option. */
  text(name: string): string | undefined {
    const value = this.config[name];
    return typeof value === "string" ? value : undefined;
  }

  /** Returns the tools in the configuration. Third-party loops do not support exclusive tools. */
  tools(): readonly ToolSpec[] {
    return this.#definitions().map((definition) => this.toToolSpec(definition));
  }

  /** Reads the definition of a tool. */
  toToolSpec(definition: Fields): ToolSpec {
    const { description, timeoutMs, exclusive, inputSchema, annotations, span, agent } = definition;
    if (exclusive === true) throw new Unsupported("exclusive tools are not supported");
    if (annotations !== undefined) throw new Unsupported("tool annotations are not supported");
    const name = textOf(definition, "name");
    return {
      name,
      description: typeof description === "string" ? description : undefined,
      inputSchema: isFields(inputSchema) ? inputSchema : { type: "object" },
      hasInputSchema: isFields(inputSchema),
      timeoutMs: typeof timeoutMs === "number" ? timeoutMs : undefined,
      isHidden: definition.hidden === true,
      span: typeof span === "string" ? span : undefined,
      subAgent: definition.subAgent === undefined
        ? undefined
        : this.toSubAgent(fieldsOf(definition, "subAgent"), this),
      agent: agent === undefined
        ? undefined
        : this.toSubAgent({ ...fieldsOf(definition, "agent"), name }, this),
    };
  }

  /**
   * Reads the configuration of a sub-agent. A third-party agent has its own list of tools, so the
   * configuration must list the sub-agent's tools if this agent has tools that the sub-agent would
   * inherit.
   *
   * @param parent Parent of the sub-agent: this agent if its runs include the sub-agent's runs, and
   * otherwise `undefined`.
   */
  toSubAgent({ allowedTools, ...config }: Fields, parent?: ScriptedAgent): ScriptedAgent {
    const own = this.#definitions().filter(({ agent }) => agent === undefined);
    if (allowedTools === undefined && own.length > 0) {
      throw new Unsupported("a sub-agent does not inherit tools");
    }
    const granted: readonly unknown[] = Array.isArray(allowedTools) ? allowedTools : [];
    const known = own.map(({ name }) => name);
    if (granted.some((name) => !known.includes(name))) {
      throw new Unsupported("an agent receives tools, not names of tools");
    }
    const tools = own.filter(({ name }) => granted.includes(name))
      .map(({ hidden: _, ...definition }) => definition);
    return new ScriptedAgent({ ...config, tools }, this.#host, this.#options, parent);
  }

  #definitions(): readonly Fields[] {
    const { tools = [] } = this.config;
    if (!Array.isArray(tools)) throw new BadArgs('"tools" must be an array');
    if (!tools.every(isFields)) throw new BadArgs("each tool must be an object");
    return tools;
  }

  /** Returns the stop conditions in the configuration. */
  conditions(): readonly Fields[] {
    const { stop = [] } = this.config;
    if (!Array.isArray(stop)) throw new BadArgs('"stop" must be an array');
    return stop.filter(isFields);
  }

  /** Calls the scripted model. */
  async generate(
    request: Fields,
    signal: AbortSignal | undefined,
  ): Promise<ModelResponse | MalformedResponse> {
    const response = await this.#call(
      "model.generate",
      { model: this.text("model"), ...request },
      signal,
    );
    if (isFields(response) && "malformed" in response) return { malformed: response.malformed };
    if (!isFields(response) || !Array.isArray(response.content)) {
      throw new BadArgs('"model.generate" must return a model response');
    }
    if (this.config.output !== undefined && callsUnknownTool(response.content, request.tools)) {
      throw this.rejectUnsupported("the final answer is text, not a tool call");
    }
    const { inputTokens, outputTokens } = fieldsOf({ usage: response.usage ?? {} }, "usage");
    return {
      content: response.content.filter(isFields),
      finishReason: textOf(response, "finishReason"),
      usage: isFields(response.usage)
        ? { inputTokens: Number(inputTokens), outputTokens: Number(outputTokens) }
        : undefined,
    };
  }

  /** Executes the scripted tool. */
  async execute(call: Fields, signal: AbortSignal | undefined): Promise<unknown> {
    const value = await this.#call("tool.execute", call, signal);
    if (value instanceof StoppingValue) throw this.rejectUnsupported("a tool cannot end the run");
    return value;
  }

  /** Returns the agent with the given name: this agent or one of its sub-agents. */
  find(name: string): ScriptedAgent | undefined {
    if (this.text("name") === name) return this;
    for (const { subAgent } of this.tools()) {
      const found = subAgent?.find(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Calls the scripted approval handler. Returns `undefined` if the case has no handler. */
  async decide(call: Fields): Promise<Decision | undefined> {
    const handler = this.text("approval");
    if (handler === undefined) return undefined;
    const agentName = this.text("name");
    const response = await this.#call(
      "approval.decide",
      { handler, agentName, reason: "approval", ...call },
      this.#signal,
    );
    if (typeof response === "boolean") {
      return { decision: response ? "approve" : "deny", reason: undefined };
    }
    if (!isFields(response)) throw new BadArgs('"approval.decide" must return a decision');
    if (!Object.hasOwn(response, "decision")) {
      throw this.rejectUnsupported("a decision cannot be inherited from a prototype");
    }
    const { decision, reason, input } = response;
    if (input !== undefined) throw this.rejectUnsupported("an approval cannot change the input");
    if (decision !== "approve" && decision !== "deny" && decision !== "defer") {
      throw new BadArgs(
        `"decision" must be approve, deny or defer, got ${JSON.stringify(decision)}`,
      );
    }
    return { decision, reason: typeof reason === "string" ? reason : undefined };
  }

  /**
   * Creates a custom stop condition that returns the scripted results in order, then repeats the
   * last result.
   */
  customCheck(condition: Fields): (context: Fields) => boolean {
    const { name, answers } = fieldsOf(condition, "custom");
    const list: readonly unknown[] = Array.isArray(answers) ? answers : [];
    let checks = 0;
    return (context) => {
      this.#host.event("condition", { name, context });
      const answer = list[Math.min(checks++, list.length - 1)];
      if (isFields(answer)) throw new HostError(String(answer.throws), {});
      return answer === true;
    };
  }

  /**
   * Calls one of the kit's host functions. Rejects with the signal's reason if the signal is
   * aborted.
   */
  async #call(fn: string, args: Fields, signal: AbortSignal | undefined): Promise<unknown> {
    this.#unsupported.signal.throwIfAborted();
    try {
      return await this.#host.call(fn, args, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }
}

/** Returns true if a model response contains a call to a tool that was not offered to the model. */
function callsUnknownTool(content: readonly unknown[], tools: unknown): boolean {
  const offered: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const names = offered.filter(isFields).map(({ name }) => name);
  return content.filter(isFields).some(({ type, toolName }) =>
    type === "tool-call" && !names.includes(toolName)
  );
}

/**
 * Converts an error to the outcome that the driver protocol defines, for errors that any loop can
 * throw.
 */
export function toCommonErrorOutcome(error: unknown): Fields {
  if (!(error instanceof Error)) return { fault: { message: String(error) } };
  if (error instanceof RunEnded) return { error: { code: error.code, message: error.message } };
  const { name, message, stack } = error;
  if (name === "AbortError") return { error: { code: "aborted", message } };
  if (error instanceof HostError) return { error: { code: "host_error", message } };
  return { fault: { message: `${name}: ${message}`, trace: stack } };
}
