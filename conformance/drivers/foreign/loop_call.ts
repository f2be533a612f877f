/**
 * What the drivers of foreign agent loops share: reading a configuration, and saying what the library lacks.
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
} from "../typescript/operation.ts";

/** A tool as a case describes it. */
export interface ToolSpec {
  /** Its name. */
  readonly name: string;
  /** What the model is told. */
  readonly description: string | undefined;
  /** JSON Schema of its input. */
  readonly inputSchema: Fields;
  /** Its own time-out, in milliseconds. */
  readonly timeoutMs: number | undefined;
}

/** An answer of the scripted model. */
export interface ModelAnswer {
  /** Text, reasoning and calls. */
  readonly content: readonly Fields[];
  /** Why it ended, in the words of the AI SDK. */
  readonly finishReason: string;
  /** The tokens, unless the model reports none. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
}

/** An answer of the scripted person who approves. */
export interface Decision {
  /** What was decided. */
  readonly decision: "approve" | "deny" | "defer";
  /** Why. */
  readonly reason: string | undefined;
}

/** The options that loops have as a rule. */
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

/** Options that change nothing here: names, and how long to wait for a tool that ignores an abort. */
const WITHOUT_EFFECT = ["name", "agentDid", "model", "graceMs"];

/** One `runtime.loop.run`. */
export class LoopCall {
  /** What the run is to be like. */
  readonly config: Fields;
  /** What the user says. */
  readonly input: string;
  /** Fires when the kit aborts the run. */
  readonly signal: AbortSignal;
  readonly #host: HostClient;
  /** Ends a run that nobody waits for any more. */
  readonly #over: AbortController = new AbortController();

  /**
   * Reads the arguments.
   *
   * @param call what the kit asks for
   * @param options the options of the configuration that the library has
   * @throws {Unsupported} for an option that it does not have
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

  /** Runs the loop, until a callback finds that the library lacks what the case asks for. */
  async run<T>(loop: () => Promise<T>): Promise<T> {
    const { signal } = this.#over;
    const over = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    // The run that nobody waits for any more may end as it likes.
    over.catch(() => {});
    return await Promise.race([loop(), over]);
  }

  /** Ends the run from within a callback; what the library makes of the error does not matter. */
  lack(reason: string): Unsupported {
    const error = new Unsupported(reason);
    this.#over.abort(error);
    return error;
  }

  /** An option that is a number. */
  number(name: string): number | undefined {
    const value = this.config[name];
    return typeof value === "number" ? value : undefined;
  }

  /** An option that is a text. */
  text(name: string): string | undefined {
    const value = this.config[name];
    return typeof value === "string" ? value : undefined;
  }

  /** The tools; an exclusive one is something that no other library has. */
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

  /** The stop conditions. */
  conditions(): readonly Fields[] {
    const { stop = [] } = this.config;
    if (!Array.isArray(stop)) throw new BadArgs('"stop" is not a list');
    return stop.filter(isFields);
  }

  /** Asks the scripted model. */
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

  /** Lets the scripted tool do its work. */
  async execute(call: Fields, signal: AbortSignal | undefined): Promise<unknown> {
    const value = await this.#ask("tool.execute", call, signal);
    if (value instanceof StoppingValue) throw this.lack("no way for a tool to end the run");
    return value;
  }

  /** Asks the scripted person; undefined when the case gives no handler. */
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

  /** A check of a caller's own condition: what the case says it answers, the last answer again and again. */
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

  /** What was asked when an abort came fails with the abort's reason, as everything does that takes a signal. */
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

/** The rest of the result of an operation that failed, for the errors that every loop may throw. */
export function toCommonRefusal(error: unknown): Fields {
  if (!(error instanceof Error)) return { fault: { message: String(error) } };
  const { name, message, stack } = error;
  if (name === "AbortError") return { error: { code: "aborted", message } };
  if (error instanceof HostError) return { error: { code: "host_error", message } };
  return { fault: { message: `${name}: ${message}`, trace: stack } };
}
