/**
 * Lets the compiler check that types of the AI SDK and our structural types are assignable to each
 * other.
 */

import type { AiSdkModel } from "@parley/runtime/models";
import type { ModelMessage } from "@parley/runtime";
import type { LanguageModelV2 } from "@ai-sdk/provider-v2";
import type { LanguageModelV3 } from "@ai-sdk/provider-v3";
import type { LanguageModelV4, LanguageModelV4Prompt } from "@ai-sdk/provider";

Deno.test("every version of the AI SDK's model interface is assignable to AiSdkModel", () => {
  const fits = (model: LanguageModelV2 | LanguageModelV3 | LanguageModelV4): AiSdkModel => model;
  void fits;
});

Deno.test("an array of ModelMessage objects is assignable to LanguageModelV4Prompt", () => {
  const fits = (messages: ModelMessage[]): LanguageModelV4Prompt => messages;
  void fits;
});
