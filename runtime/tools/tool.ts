/**
 * Types of tools, tool contexts and tool results.
 *
 * @module
 */

import { assertRecord } from "@parley/internal/assert-argument";
import { oneOf } from "@parley/internal/option-checks";
import type { JsonValue } from "../shared/json.ts";
import type { ModelMessage, ToolResultOutput } from "../shared/model.ts";
import type { ProviderOptions } from "../shared/provider_options.ts";
import type { WholeSchema } from "../shared/schema.ts";
import type { Infer, Schema } from "../shared/typed_schema.ts";

/**
 * Hints about the effects of a tool, for approval handlers and for resumed runs: a call interrupted
 * by a crash is executed again if the tool is `readOnly` or `idempotent`. The hints have the same
 * names as in the Model Context Protocol. The hints of an MCP server become annotations only with
 * the `trustHints` option of {@linkcode ToolRegistry.registerMcp}.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
 */
export interface ToolAnnotations {
  /** Whether the tool does not modify its environment. */
  readonly readOnly?: boolean;
  /** Whether the tool may make changes that cannot be undone. */
  readonly destructive?: boolean;
  /** Whether repeated calls with the same arguments have no additional effect. */
  readonly idempotent?: boolean;
  /** Whether the tool interacts with external entities, for example on the web. */
  readonly openWorld?: boolean;
}

/** The agent and the run that a tool call belongs to. */
export interface ToolCallOrigin {
  /** Name of the agent that executes the tool. */
  readonly agentName: string;
  /** DID of the agent. */
  readonly agentDid?: string;
  /** Agent names, from the outermost agent to this agent. */
  readonly path: readonly string[];
  /** Id of the run. */
  readonly runId: string;
  /** Index of the iteration, starting at 0. */
  readonly iteration: number;
  /** Copy of the conversation up to the response that requests the call; a valid conversation. */
  readonly messages: readonly ModelMessage[];
  /** Aborted when the run ends early or the tool times out. */
  readonly signal: AbortSignal;
}

/**
 * The context of a tool call. The functions of the context can be destructured. Pass the context
 * itself, rather than a copy, to other functions in this package, because a copy lacks internal
 * properties.
 */
export interface ToolContext extends ToolCallOrigin {
  /** Id of the call. */
  readonly toolCallId: string;
  /** Name of the tool. */
  readonly toolName: string;
  /**
   * Key that stays the same if this call is repeated, even after a crash. External systems can use
   * the key to deduplicate calls.
   */
  readonly idempotencyKey: string;
  /**
   * Reports progress to listeners in a `tool_progress` event. Has no effect after the call has
   * ended.
   *
   * @param progress Progress to report. The reported value is copied like the result of the tool.
   * @throws {TypeError} If the value is not serializable as JSON.
   */
  report(progress: JsonValue): void;
  /**
   * Returns the value of a signal. If the signal is not in the `signals` of the run, the run ends
   * with stop reason `waiting`, and the resumed run executes the tool again. The tool must
   * therefore be safe to repeat up to the call to `wait`, and must not catch the error that the
   * promise rejects with. Requires a `stepRunner`.
   *
   * @param key Key of the signal, unique within the run unless several tools wait for the same
   * signal. A signal key must not start with the run id and a slash.
   */
  wait(key: string): Promise<JsonValue>;
  /**
   * Resolves if the given time has been reached. Before the given time, the run ends with stop
   * reason `waiting`, and the resumed run executes the tool again, as for
   * {@linkcode ToolContext.wait}. The time is recorded when the tool first calls `sleep` with the
   * key, so that a repeated execution waits until the same time. Requires a `stepRunner`.
   *
   * @param key Key that identifies the wait, unique within the tool call.
   * @param until Time at which the tool continues.
   */
  sleep(key: string, until: Date): Promise<void>;
  /** Ends the run after this iteration, with stop reason `tool_stop`. */
  stop(): void;
}

/**
 * A tool. A tool does not decide whether it is executed: the `approvalHandler` of the agent does.
 * `execute` returns a string, nothing, a {@linkcode ToolOutput}, or a value that is
 * serializable as JSON. If `execute` throws or returns a value that is not serializable, the model
 * receives an error result.
 *
 * @typeParam Input Type of the validated input.
 * @typeParam Output Return type of `execute`.
 */
export interface Tool<Input = unknown, Output = unknown> {
  /**
   * Name of the tool: 1 to 128 letters, digits, `_`, `-` and `.`. Many providers allow at most 64
   * characters and do not allow `.`.
   */
  readonly name: string;
  /** Description of the tool for the model. */
  readonly description?: string;
  /**
   * Schema of the input: a JSON Schema, or a schema from a library that implements Standard Schema.
   */
  readonly inputSchema: Schema;
  /** Hints about the effects of the tool, for approval handlers. */
  readonly annotations?: ToolAnnotations;
  /**
   * Fields that a model function adds to the definition of the tool, keyed by provider, for example
   * `{ openai: { strict: true } }` or `{ anthropic: { defer_loading: true } }`.
   */
  readonly providerOptions?: ProviderOptions;
  /**
   * Timeout for a call, in milliseconds. 0 disables the timeout. If omitted, the `toolTimeoutMs` of
   * the run applies.
   */
  readonly timeoutMs?: number;
  /**
   * Whether the tool must run alone, without any other tool running concurrently.
   *
   * @default {false}
   */
  readonly exclusive?: boolean;
  /**
   * Executes a call.
   *
   * @param input The validated input, which the tool may modify.
   * @param context The call, its run and the abort signal.
   */
  execute(input: Input, context: ToolContext): Output | Promise<Output>;
}

/**
 * A tool, as defined in an agent's configuration or passed to a registry. The type of the input is
 * inferred from the input schema.
 *
 * @typeParam S Type of the input schema.
 * @typeParam Output Return type of `execute`.
 */
export interface ToolSpec<S extends Schema = Schema, Output = unknown>
  extends Omit<Tool<Infer<S>, Output>, "inputSchema"> {
  /**
   * Schema of the input: a schema from a library that implements Standard Schema, such as
   * `z.object({ … })`, or a JSON Schema. {@linkcode jsonSchema} also attaches a TypeScript type to
   * a JSON Schema.
   */
  readonly inputSchema: WholeSchema<S>;
}

/**
 * Tools, as written in an agent's configuration. The type of each tool's input is inferred from the
 * tool's schema.
 *
 * @typeParam Schemas Types of the input schemas, in order.
 */
export type ToolSpecs<Schemas extends readonly Schema[]> = {
  readonly [Index in keyof Schemas]: ToolSpec<Schemas[Index]>;
};

/**
 * Returns the given tool, with the types of its input and output. The type of the input is inferred
 * from the schema.
 *
 * @typeParam S Type of the input schema.
 * @typeParam Output Return type of `execute`.
 * @param tool Tool to return.
 *
 * @example Infer the types of the input and the output
 * ```ts
 * import { defineTool, jsonSchema, type Tool } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const weather = defineTool({
 *   name: "weather",
 *   // With Zod: z.object({ city: z.string() })
 *   inputSchema: jsonSchema<{ city: string }>({
 *     type: "object",
 *     properties: { city: { type: "string" } },
 *     required: ["city"],
 *   }),
 *   execute: ({ city }) => ({ city, degrees: 21 }),
 * });
 * const typed: Tool<{ city: string }, { city: string; degrees: number }> = weather;
 * assertEquals(typed.name, "weather");
 * ```
 */
export function defineTool<S extends Schema, Output>(
  tool: ToolSpec<S, Output>,
): Tool<Infer<S>, Output> {
  return tool;
}

const assertOutputType = oneOf(
  "text",
  "json",
  "content",
  "error-text",
  "error-json",
  "execution-denied",
);

/**
 * An explicit tool result, used for several parts, images, or errors that are returned rather than
 * thrown.
 *
 * @example Return text and an image
 * ```ts
 * import { ToolOutput } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const result = new ToolOutput({
 *   type: "content",
 *   value: [
 *     { type: "text", text: "The chart:" },
 *     { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0K" } },
 *   ],
 * });
 * assertEquals(result.output.type, "content");
 * ```
 */
export class ToolOutput {
  /** Output that the model receives. */
  readonly output: ToolResultOutput;

  /**
   * Creates a tool result from an explicit output.
   *
   * @param output Output that the model receives.
   * @throws {TypeError} If the output is not an object, or its type is unknown.
   */
  constructor(output: ToolResultOutput) {
    assertRecord("output", output);
    assertOutputType("output.type", output.type);
    this.output = output;
  }
}

/**
 * An error whose content the model receives as the result of the tool call.
 *
 * @example Suggest a correction to the model
 * ```ts
 * import { type Tool, ToolError } from "@parley/runtime";
 * import { assertThrows } from "@std/assert";
 *
 * const read: Tool = {
 *   name: "read",
 *   inputSchema: { type: "object" },
 *   execute: () => {
 *     throw new ToolError({ error: "no such file", didYouMean: "README.md" });
 *   },
 * };
 * assertThrows(() => read.execute({}, {} as never), ToolError, "README.md");
 * ```
 */
export class ToolError extends Error {
  /** The name of the class. */
  override readonly name = "ToolError";
  /** Text or JSON data for the model. */
  readonly content: JsonValue;

  /**
   * Creates the error.
   *
   * @param content Text or JSON data for the model.
   * @param options Cause of the error, which is not sent to the model.
   */
  constructor(content: JsonValue, options?: ErrorOptions) {
    super(toText(content), options);
    this.content = content;
  }
}

/** Converts JSON data to text. A string is returned unchanged. */
export function toText(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
