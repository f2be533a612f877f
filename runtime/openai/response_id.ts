/**
 * Ids of responses. A run has one response for its beginning, and one for each time that the caller
 * has decided on tool calls.
 *
 * @module
 */

import { shortHash } from "@parley/internal/short-hash";
import { isStorable } from "../runs/step_recorder.ts";

/** Maximum length of the id of a response, in characters. */
export const MAX_RESPONSE_ID_CHARS = 8192;

/** A response. */
export interface ResponsePart {
  /** Hash of the model id, because two agents can have runs with the same id. */
  readonly modelHash: string;
  /** Id of the run. */
  readonly runId: string;
  /** Index of the first iteration of the run that is part of the response. */
  readonly from: number;
  /** Number of earlier responses of the run. */
  readonly number: number;
}

/** Returns the first response of a run. */
export function firstPart(model: string, runId: string): ResponsePart {
  return { modelHash: shortHash(model), runId, from: 0, number: 0 };
}

/** Formats the id of a response. */
export function formatResponseId({ from, modelHash, number, runId }: ResponsePart): string {
  const suffix = number === 0 ? "" : `~${from}~${number}`;
  return `resp_${modelHash}_${runId}${suffix}`;
}

/** Reads the id of a response. Returns `undefined` if it is not valid. */
export function readResponseId(id: string): ResponsePart | undefined {
  if (id.length > MAX_RESPONSE_ID_CHARS || !isStorable(id)) return undefined;
  const match = /^resp_([\da-f]{8})_(.+?)(?:~(\d{1,9})~([1-9]\d{0,8}))?$/s.exec(id);
  const [, modelHash, runId, from = "0", number = "0"] = match ?? [];
  if (modelHash === undefined || runId === undefined) return undefined;
  return { modelHash, runId, from: Number(from), number: Number(number) };
}
