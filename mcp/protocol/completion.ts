/**
 * Wire format of argument completion.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion Completion}
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
import type { ReadResult } from "./result_readers.ts";

/** The prompt or resource template whose argument is completed. */
export type CompletionReference =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

/** Parameters of `completion/complete`. */
export interface CompleteParams {
  /** Prompt, resource or resource template that has the argument. */
  readonly ref: CompletionReference;
  /** Name of the argument, and the text that the user has typed so far. */
  readonly argument: { readonly name: string; readonly value: string };
  /** Values of the other arguments that are already set. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

/** Suggested values for an argument. */
export interface Completion {
  /** Suggested values, most relevant first. At most 100 values. */
  readonly values: readonly string[];
  /** Number of all suggestions, including suggestions that are not in `values`. */
  readonly total?: number;
  /** Whether `values` is incomplete. */
  readonly hasMore?: boolean;
}

/** Reads the result of `completion/complete`. Suggestions that are not strings are omitted. */
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
