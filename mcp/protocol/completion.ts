/**
 * Wire format for argument completion.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion Completion}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { Deviation } from "../jsonrpc/deviation.ts";
import type { ReadResult } from "./result_readers.ts";

/** Reference to the prompt or resource template whose argument is completed. */
export type CompletionReference =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

/** Parameters for `completion/complete`. */
export interface CompleteParams {
  /** Reference to the prompt, resource or resource template that has the argument. */
  readonly ref: CompletionReference;
  /** Name of the argument, and the text that the user has typed so far. */
  readonly argument: { readonly name: string; readonly value: string };
  /** Values already chosen for other arguments. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

/** Suggested values for an argument. */
export interface Completion {
  /** Up to 100 suggested values, most relevant first. */
  readonly values: readonly string[];
  /** Total number of suggestions, including those not in `values`. */
  readonly total?: number;
  /** Whether there are more suggestions than `values` contains. */
  readonly hasMore?: boolean;
}

/** Reads the result of `completion/complete`. Suggestions that are not strings are omitted. */
export function readCompletion({ completion }: JsonObject): ReadResult<Completion> {
  if (!isRecord(completion) || !Array.isArray(completion.values)) {
    return { ok: false, reason: '"completion.values" must be an array' };
  }
  const { total, hasMore } = completion;
  const values = completion.values.filter((value) => typeof value === "string");
  const deviations: Deviation[] = [];
  if (values.length < completion.values.length) {
    deviations.push({ what: '"values" has an invalid item' });
  }
  if (total !== undefined && typeof total !== "number") {
    deviations.push({ what: '"total" is not a number' });
  }
  if (hasMore !== undefined && typeof hasMore !== "boolean") {
    deviations.push({ what: '"hasMore" is not a boolean' });
  }
  return {
    ok: true,
    ...(deviations.length === 0 ? {} : { deviations }),
    value: {
      values,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof hasMore === "boolean" ? { hasMore } : {}),
    },
  };
}
