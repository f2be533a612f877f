/**
 * Test data for the Gemini API. The sources are the API reference ("GenerateContentResponse") and
 * the guides "Thought signatures", "Function calling", "Code execution" and "Thinking".
 *
 * @module
 */

import type { LanguageModel, ModelRequest } from "../../shared/model.ts";
import {
  googleGenerateContent,
  type GoogleGenerateContentOptions,
} from "../google_generate_content.ts";
import { KEY, QUESTION } from "./ask.ts";
import { FakeEndpoint } from "./fake_endpoint.ts";

/**
 * A model before Gemini 3, which needs no signatures and accepts no files in function responses.
 */
export const OLD_MODEL = "gemini-2.5-flash";

/** A model since Gemini 3. */
export const NEW_MODEL = "gemini-3.6-flash";

/** Returns a complete response, or a chunk of a streamed response, with the given parts. */
export function reply(
  parts: readonly unknown[],
  candidate: object = { finishReason: "STOP" },
  rest: object = {},
): Record<string, unknown> {
  return {
    candidates: [{ content: { parts, role: "model" }, index: 0, ...candidate }],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 5, totalTokenCount: 16 },
    modelVersion: "gemini-2026",
    responseId: "r1",
    ...rest,
  };
}

/** Returns a chunk of a streamed response that is not the last one. */
export function chunk(parts: readonly unknown[], rest: object = {}): Record<string, unknown> {
  return reply(parts, {}, rest);
}

/** Creates a model that calls a local HTTP server. */
export function modelAt(
  endpoint: FakeEndpoint,
  options: Partial<GoogleGenerateContentOptions> = {},
): LanguageModel {
  return googleGenerateContent({
    baseUrl: `${endpoint.origin}/v1beta`,
    model: NEW_MODEL,
    apiKey: KEY,
    ...options,
  });
}

/** Creates a model whose endpoint is a function. */
export function modelOf(
  answer: () => Response,
  options: Partial<GoogleGenerateContentOptions> = {},
): LanguageModel {
  return googleGenerateContent({
    model: NEW_MODEL,
    apiKey: KEY,
    fetch: () => Promise.resolve(answer()),
    ...options,
  });
}

/** Returns the body of a sent request. */
export async function bodyOf(
  request: Partial<ModelRequest>,
  options: Partial<GoogleGenerateContentOptions> = {},
): Promise<Record<string, unknown>> {
  await using endpoint = new FakeEndpoint(() => Response.json(reply([{ text: "ok" }])));
  await modelAt(endpoint, options).generate({ ...QUESTION, ...request });
  return endpoint.last.body;
}
