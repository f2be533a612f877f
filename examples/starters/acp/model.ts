import process from "node:process";
import type { LanguageModel } from "@parley/runtime";
import { openAiChat, openAiResponses } from "@parley/runtime/models";
import { scriptedModel } from "@parley/runtime/testing";

/**
 * Returns the model that the environment variables name, or a model with a prepared response if
 * they are not set.
 */
export function chooseModel(): LanguageModel {
  const { MODEL_URL: baseUrl, MODEL: model, MODEL_API_KEY: apiKey } = process.env;
  if (baseUrl && model) return openAiChat({ baseUrl, model, ...(apiKey ? { apiKey } : {}) });
  if (apiKey && model) return openAiResponses({ apiKey, model });
  return scriptedModel([
    { text: "This response is prepared: to use a language model, see README.md." },
  ]);
}
