/**
 * Tools: what a model may call, and what a tool gets to work with.
 *
 * @module
 */

import type { JsonValue } from "../shared/json.ts";
import type { ModelMessage, ToolResultOutput } from "../shared/model.ts";
import type { JsonSchema, StandardSchema } from "../shared/schema.ts";

/**
 * What a tool promises about its effects. Hints for approval handlers, in the words of the Model Context Protocol; never
 * believe those of a server you do not trust.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
 */
export interface ToolAnnotations {
  /** It changes nothing. */
  readonly readOnly?: boolean;
  /** What it changes may not be undone. */
  readonly destructive?: boolean;
  /** Calling it twice is the same as calling it once. */
  readonly idempotent?: boolean;
  /** It reaches beyond a closed world, for example into the web. */
  readonly openWorld?: boolean;
}

/** Where a tool call comes from. */
export interface ToolCallOrigin {
  /** The agent that runs the tool. */
  readonly agentName: string;
  /** The agent's DID. */
  readonly agentDid?: string;
  /** Agent names from the outermost agent to this one. */
  readonly path: readonly string[];
  /** The run. */
  readonly runId: string;
  /** The 0-based iteration of the run. */
  readonly iteration: number;
  /** A copy of the conversation before the answer that asks for the call: valid to send to a model as it is. */
  readonly messages: readonly ModelMessage[];
  /** Aborted when the run ends early, or the tool's time is up. */
  readonly signal: AbortSignal;
}

/**
 * What a tool gets beside its input. Its functions may be taken out of it; a copy of it has some of its fields only, and
 * cannot stand for it.
 */
export interface ToolContext extends ToolCallOrigin {
  /** The id of the call. */
  readonly toolCallId: string;
  /** The name of the tool. */
  readonly toolName: string;
  /** The same text whenever this very call is repeated, also after a crash: hand it to systems that deduplicate. */
  readonly idempotencyKey: string;
  /**
   * Tells listeners how the work goes, as a `tool_progress` event; nothing when the call is over.
   *
   * @param progress any JSON value
   */
  report(progress: JsonValue): void;
  /** Ends the run after this iteration, with stop reason `tool_stop`. */
  stop(): void;
}

/**
 * A tool. `execute` returns text, nothing, a {@linkcode ToolOutput}, or anything that JSON can hold: what it throws, and
 * a result of which JSON would lose a value, becomes an error result that the model can read.
 *
 * @typeParam Input what the schema makes of a valid input
 */
export interface Tool<Input = unknown> {
  /** The name the model calls it by: 1 to 128 letters, digits, `_`, `-` and `.`; many providers want 64 and no dot. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description?: string;
  /** What its input must look like: JSON Schema, or a schema of a library that speaks Standard Schema. */
  readonly inputSchema: JsonSchema | StandardSchema;
  /** Hints about its effects, for approval handlers. */
  readonly annotations?: ToolAnnotations;
  /** How long it may take, in milliseconds; 0 means for ever. Default: the run's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Whether no other tool may run beside it. Default: false. */
  readonly exclusive?: boolean;
  /**
   * Does the work.
   *
   * @param input the validated input, the tool's own to change
   * @param context the call, the run and their signal
   */
  execute(input: Input, context: ToolContext): unknown;
}

/**
 * Returns the tool it is given, with the type of `input` taken from its Standard Schema.
 *
 * @typeParam Input what the schema makes of a valid input
 * @param tool the tool
 * @returns the same object
 *
 * @example A typed input
 * ```ts
 * import { defineTool, type StandardSchema } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * // With Zod, this is z.object({ city: z.string() }).
 * const json = () => ({ type: "object", properties: { city: { type: "string" } } });
 * const citySchema: StandardSchema<{ city: string }> = {
 *   "~standard": {
 *     version: 1,
 *     vendor: "by hand",
 *     validate: (value) => ({ value: { city: String(value) } }),
 *     jsonSchema: { input: json, output: json },
 *   },
 * };
 * const weather = defineTool({
 *   name: "weather",
 *   inputSchema: citySchema,
 *   execute: (input) => `Sunny in ${input.city}`,
 * });
 * assertEquals(weather.name, "weather");
 * ```
 */
export function defineTool<Input>(
  tool: Omit<Tool<Input>, "inputSchema"> & { readonly inputSchema: StandardSchema<unknown, Input> },
): Tool<Input> {
  return tool;
}

/**
 * A tool's result in full control: parts, images, or an error without an exception.
 *
 * @example Text and an image
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
  /** What the model sees. */
  readonly output: ToolResultOutput;

  /**
   * Wraps an output.
   *
   * @param output what the model sees
   */
  constructor(output: ToolResultOutput) {
    this.output = output;
  }
}

/**
 * What a tool throws to choose the words, or the data, that the model sees of its failure.
 *
 * @example Tell the model what to do about it
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
  /** What the model sees. */
  readonly content: JsonValue;

  /**
   * Makes the error.
   *
   * @param content what the model sees: text, or JSON data
   * @param options the cause, kept for people
   */
  constructor(content: JsonValue, options?: ErrorOptions) {
    super(toText(content), options);
    this.content = content;
  }
}

/** JSON data in words: text as it is. */
export function toText(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
