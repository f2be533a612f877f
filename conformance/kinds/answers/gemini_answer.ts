/**
 * Responses of the Gemini API.
 *
 * @module
 */

import type { JsonObject } from "../../kit/json.ts";
import type { ProviderAnswer } from "../../kit/provider_turn.ts";
import { type AnswerRenderer, type AnswerToRender, inputOf } from "./answer_parts.ts";

/** Returns the parts of a response. The signature is at the first call, or at the last part. */
function partsOf({ text, reasoning, calls = [] }: ProviderAnswer): readonly JsonObject[] {
  const signature = reasoning === undefined ? {} : { thoughtSignature: reasoning.signature };
  return [
    ...(reasoning === undefined ? [] : [{ text: reasoning.text, thought: true }]),
    ...(text === undefined ? [] : [{ text, ...(calls.length === 0 ? signature : {}) }]),
    ...calls.map(({ id, name, input }, index) => ({
      functionCall: { id, name, args: inputOf(input) },
      ...(index === 0 ? signature : {}),
    })),
  ];
}

function response(
  { answer, index }: AnswerToRender,
  parts: readonly JsonObject[],
  isLast: boolean,
): JsonObject {
  const reason = answer.isCut === true ? "MAX_TOKENS" : "STOP";
  const content = { role: "model", parts };
  return {
    candidates: [{ content, index: 0, ...(isLast ? { finishReason: reason } : {}) }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: "m",
    responseId: `r${index}`,
  };
}

/** Renders responses of the Gemini API. */
export const GEMINI_ANSWER: AnswerRenderer = {
  whole: (answer) => response(answer, partsOf(answer.answer), true),
  events: (answer) => {
    const parts = partsOf(answer.answer);
    return parts.map((part, index) => ({
      data: response(answer, [part], index === parts.length - 1),
    }));
  },
};
