/**
 * Tools and errors of the operation `agent.run`, for all drivers of third-party agent loops.
 *
 * @module
 */

import { z } from "zod";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  type HostClient,
  isFields,
  textOf,
} from "../../../conformance/drivers/typescript/operation.ts";

/** A tool of the kit. */
export interface WireTool {
  /** Name of the tool. */
  readonly name: string;
  /** Description for the model. */
  readonly description: string;
  /** JSON Schema for the input. */
  readonly inputSchema: Fields;
  /** Calls the kit. */
  readonly execute: (
    input: unknown,
    toolCallId: string | undefined,
    signal: AbortSignal | undefined,
  ) => Promise<unknown>;
}

/** Returns the tools in the arguments of the operation. */
export function wireTools({ tools = [] }: Fields, host: HostClient): readonly WireTool[] {
  if (!Array.isArray(tools)) throw new BadArgs('"tools" must be an array');
  return tools.filter(isFields).map((tool) => {
    const name = textOf(tool, "name");
    return {
      name,
      description: textOf(tool, "description"),
      inputSchema: fieldsOf(tool, "inputSchema"),
      execute: (input, toolCallId, signal) =>
        host.call("tool.execute", { name, input, toolCallId }, signal),
    };
  });
}

/**
 * Converts the schema of an input, so that a library validates inputs as its documentation shows.
 */
export function toZod(inputSchema: Fields): z.ZodObject {
  // The cast is unchecked: the schemas of the cases describe objects.
  return z.fromJSONSchema(inputSchema) as z.ZodObject;
}

/** A run that ended with an error. It is not a fault, because a loop can end a run at any time. */
export class RunEnded extends Error {
  /** Code in the driver protocol. */
  readonly code = "run_failed";

  /** Keeps the error of the library. */
  constructor(cause: unknown) {
    super(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause), { cause });
  }
}
