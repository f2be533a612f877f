/** Compares our structural types with the types of the real packages. The compiler performs the check. */

import type { AiSdkModel } from "@parley/runtime/models";
import type { ModelMessage } from "@parley/runtime";
import type { LanguageModelV2 } from "@ai-sdk/provider-v2";
import type { LanguageModelV3 } from "@ai-sdk/provider-v3";
import type { LanguageModelV4, LanguageModelV4Prompt } from "@ai-sdk/provider";

Deno.test("every version of the AI SDK's model interface is an AiSdkModel", () => {
  const fits = (model: LanguageModelV2 | LanguageModelV3 | LanguageModelV4): AiSdkModel => model;
  void fits;
});

Deno.test("the messages of a conversation are a prompt of version 4", () => {
  const fits = (messages: ModelMessage[]): LanguageModelV4Prompt => messages;
  void fits;
});
