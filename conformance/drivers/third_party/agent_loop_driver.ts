/**
 * Common parts of the drivers of third-party agent loops: the configuration of a run and its unsupported options.
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
  type OpCall,
  StoppingValue,
  textOf,
  Unsupported,
} from "../typescript/op.ts";

/** A tool of a case. */
export interface ToolSpec {
  /** Name of the tool. */
  readonly name: string;
  /** Description for the model. */
  readonly description: string | undefined;
  /** JSON Schema of the input. */
  readonly inputSchema: Fields;
  /** Timeout of the tool, in milliseconds. */
  readonly timeoutMs: number | undefined;
}

/** A response of the scripted model. */
export interface ModelAnswer {
  /** Text, reasoning and tool calls. */
  readonly content: readonly Fields[];
  /** Finish reason, with the values of the AI SDK. */
  readonly finishReason: string;
  /** Token counts; `undefined` if the model reports none. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
}

/** A decision of the scripted approval handler. */
export interface Decision {
  /** The decision. */
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

/** Options that have no effect in a driver: names, and the time to wait for a tool that ignores an abort. */
const WITHOUT_EFFECT = ["name", "agentDid", "model", "graceMs"];

/** A call of `runtime.loop.run`. */
export class LoopCall {
  /** Configuration of the run. */
  readonly config: Fields;
  /** Text of the user. */
  readonly input: string;
  /** Aborted when the kit aborts the run. */
  readonly signal: AbortSignal;
  readonly #host: HostClient;
  /** Aborted when a callback uses an unsupported feature. */
  readonly #over: AbortController = new AbortController();

  /**
   * Reads the arguments.
   *
   * @param call Call of the kit.
   * @param options Supported options of the library.
   * @throws {Unsupported} If the configuration has another option.
   */
  constructor({ args, host, signal }: OpCall, options: readonly string[]) {
    this.config = fieldsOf(args, "config");
    this.input = textOf(args, "input");
    this.signal = AbortSignal.any([signal, this.#over.signal]);
    this.#host = host;
    const known = [...WITHOUT_EFFECT, ...options];
    const lacked = Object.keys(this.config).find((name) => !known.includes(name));
    if (lacked !== undefined) throw new Unsupported(`no option like ${lacked}`);
  }

  /** Runs the loop. Rejects if a callback uses an unsupported feature. */
  async run<T>(loop: () => Promise<T>): Promise<T> {
    const { signal } = this.#over;
    const over = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    // After a rejection, the result of the run does not matter.
    over.catch(() => {});
    return await Promise.race([loop(), over]);
  }

  /** Ends the run from a callback. The caller throws the returned error; the library may handle it in any way. */
  lack(reason: string): Unsupported {
    const error = new Unsupported(reason);
    this.#over.abort(error);
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

  /** Returns the tools. Exclusive tools are not supported by third-party loops. */
  tools(): readonly ToolSpec[] {
    const { tools = [] } = this.config;
    if (!Array.isArray(tools)) throw new BadArgs('"tools" is not a list');
    return tools.map((tool: unknown) => {
      if (!isFields(tool)) throw new BadArgs("a tool is not an object");
      const { description, timeoutMs, exclusive, inputSchema } = tool;
      if (exclusive === true) throw new Unsupported("no tools that run alone");
      return {
        name: textOf(tool, "name"),
        description: typeof description === "string" ? description : undefined,
        inputSchema: isFields(inputSchema) ? inputSchema : { type: "object" },
        timeoutMs: typeof timeoutMs === "number" ? timeoutMs : undefined,
      };
    });
  }

  /** Returns the stop conditions. */
  conditions(): readonly Fields[] {
    const { stop = [] } = this.config;
    if (!Array.isArray(stop)) throw new BadArgs('"stop" is not a list');
    return stop.filter(isFields);
  }

  /** Calls the scripted model. */
  async generate(request: Fields, signal: AbortSignal | undefined): Promise<ModelAnswer> {
    const model = this.text("model");
    const answer = await this.#ask("model.generate", { model, ...request }, signal);
    if (!isFields(answer) || !Array.isArray(answer.content)) {
      throw new BadArgs("the host gave no answer of a model");
    }
    const { inputTokens, outputTokens } = fieldsOf({ usage: answer.usage ?? {} }, "usage");
    return {
      content: answer.content.filter(isFields),
      finishReason: textOf(answer, "finishReason"),
      usage: isFields(answer.usage)
        ? { inputTokens: Number(inputTokens), outputTokens: Number(outputTokens) }
        : undefined,
    };
  }

  /** Executes the scripted tool. */
  async execute(call: Fields, signal: AbortSignal | undefined): Promise<unknown> {
    const value = await this.#ask("tool.execute", call, signal);
    if (value instanceof StoppingValue) throw this.lack("no way for a tool to end the run");
    return value;
  }

  /** Calls the scripted approval handler. Returns `undefined` if the case has no handler. */
  async decide(call: Fields): Promise<Decision | undefined> {
    const handler = this.text("approval");
    if (handler === undefined) return undefined;
    const agentName = this.text("name");
    const answer = await this.#ask("approval.decide", { handler, agentName, ...call }, this.signal);
    if (typeof answer === "boolean") {
      return { decision: answer ? "approve" : "deny", reason: undefined };
    }
    if (!isFields(answer)) throw new BadArgs("the host gave no decision");
    const { decision, reason, input } = answer;
    if (input !== undefined) throw this.lack("no approval that changes the input");
    if (decision !== "approve" && decision !== "deny" && decision !== "defer") {
      throw new BadArgs(`no decision ${JSON.stringify(decision)}`);
    }
    return { decision, reason: typeof reason === "string" ? reason : undefined };
  }

  /** Creates a custom stop condition. Returns the scripted results in order, then the last one repeatedly. */
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

  /** Calls the kit. Rejects with the reason of the signal if the signal is aborted. */
  async #ask(fn: string, args: Fields, signal: AbortSignal | undefined): Promise<unknown> {
    this.#over.signal.throwIfAborted();
    try {
      return await this.#host.call(fn, args, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }
}

/** Returns the error outcome for errors that every loop may throw. */
export function toCommonErrorOutcome(error: unknown): Fields {
  if (!(error instanceof Error)) return { fault: { message: String(error) } };
  const { name, message, stack } = error;
  if (name === "AbortError") return { error: { code: "aborted", message } };
  if (error instanceof HostError) return { error: { code: "host_error", message } };
  return { fault: { message: `${name}: ${message}`, trace: stack } };
}
