import { openAiChat, openAiResponses } from "@parley/runtime/models";
import { scriptedModel } from "@parley/runtime/testing";
import type { TeamModels } from "./team.ts";

const DRAFT = "Good morning, team!";

/**
 * Returns the model that the environment variables name, or a model with prepared responses if they
 * are not set.
 */
export function chooseModels(env: Readonly<Record<string, string | undefined>>): TeamModels {
  const { MODEL_URL: baseUrl, MODEL: model, MODEL_API_KEY: apiKey } = env;
  if (baseUrl && model) {
    const both = openAiChat({ baseUrl, model, ...(apiKey ? { apiKey } : {}) });
    return { writer: both, checker: both };
  }
  if (apiKey && model) {
    const both = openAiResponses({ apiKey, model });
    return { writer: both, checker: both };
  }
  return {
    writer: scriptedModel([
      { calls: [{ toolName: "checker", input: { task: `Check this draft: ${DRAFT}` } }] },
      { text: DRAFT },
    ]),
    checker: scriptedModel([
      { calls: [{ toolName: "count_words", input: { text: DRAFT } }] },
      { text: "The draft has three words. Accepted." },
    ]),
  };
}
