/**
 * Completion of arguments on the wire.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion Completion}
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
import type { ReadResult } from "./result_readers.ts";

/** What has an argument to complete. */
export type CompletionReference =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

/** What is to be completed. */
export interface CompleteParams {
  /** The prompt, or the template of resources. */
  readonly ref: CompletionReference;
  /** The argument, and what has been typed of it. */
  readonly argument: { readonly name: string; readonly value: string };
  /** The other arguments, as far as they are known. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

/** How it might go on. */
export interface Completion {
  /** Values for the argument, best first; at most 100. */
  readonly values: readonly string[];
  /** How many there are, including those that are not given. */
  readonly total?: number;
  /** Whether there are more than are given. */
  readonly hasMore?: boolean;
}

/** Reads the result of a completion. */
export function readCompletion({ completion }: JsonObject): ReadResult<Completion> {
  if (!isJsonObject(completion) || !Array.isArray(completion.values)) {
    return { ok: false, reason: '"completion.values" must be an array' };
  }
  const { total, hasMore } = completion;
  const values = completion.values.filter((value) => typeof value === "string");
  return {
    ok: true,
    value: {
      values,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof hasMore === "boolean" ? { hasMore } : {}),
    },
  };
}
