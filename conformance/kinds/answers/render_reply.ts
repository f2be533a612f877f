/**
 * Renders the neutral responses of cases in the format of each provider.
 *
 * @module
 */

import { ProviderApi, type ProviderReply } from "../../kit/provider_turn.ts";
import type { ProviderRequest } from "../provider_exchange.ts";
import { type AnswerRenderer, toBody } from "./answer_parts.ts";
import { CHAT_ANSWER } from "./chat_answer.ts";
import { GEMINI_ANSWER } from "./gemini_answer.ts";
import { MESSAGES_ANSWER } from "./messages_answer.ts";
import { RESPONSES_ANSWER } from "./responses_answer.ts";

const RENDERERS: Readonly<Record<ProviderApi, AnswerRenderer>> = {
  [ProviderApi.OpenAiChat]: CHAT_ANSWER,
  [ProviderApi.OpenAiResponses]: RESPONSES_ANSWER,
  [ProviderApi.Anthropic]: MESSAGES_ANSWER,
  [ProviderApi.Gemini]: GEMINI_ANSWER,
};

/**
 * Writes out the neutral response of a reply: as a stream if the request asks for one, and
 * otherwise as one JSON value. A reply without a neutral response is returned unchanged.
 */
export function renderReply(
  reply: ProviderReply,
  { api, request, index }: {
    readonly api: ProviderApi;
    readonly request: ProviderRequest;
    readonly index: number;
  },
): ProviderReply {
  const { answer, ...rest } = reply;
  if (answer === undefined) return reply;
  const body = request.json ?? {};
  return { ...rest, ...toBody(RENDERERS[api], { answer, index, body }, isStream(request)) };
}

function isStream({ path, json }: ProviderRequest): boolean {
  return json?.stream === true || path.includes(":streamGenerateContent");
}
