/**
 * Settings for a model call.
 *
 * @module
 */

import type { JsonObject } from "./json.ts";
import type { ProviderOptions } from "./provider_options.ts";
import type { JsonSchema } from "./schema.ts";

/**
 * A tool executed by the model's provider.
 *
 * @example Web search with `anthropicMessages()`
 * ```ts
 * import type { GenerationOptions, ProviderTool } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const search: ProviderTool = {
 *   id: "anthropic.web_search_20250305",
 *   name: "web_search",
 *   args: { max_uses: 3 },
 * };
 * const generateOptions: GenerationOptions = { providerTools: [search] };
 * assertEquals(generateOptions.providerTools?.length, 1);
 * ```
 */
export interface ProviderTool {
  /**
   * Id in the form `provider.tool`. `openAiResponses()`, `openAiChat()` and `anthropicMessages()`
   * send the part after the first dot as the tool's type, and `googleGenerateContent()` sends it as
   * the field that contains the settings. `fromAiSdk()` forwards the id unchanged.
   */
  readonly id: string;
  /** Name of the tool in the conversation. Some tool types require a specific name. */
  readonly name: string;
  /** Settings: arguments of the provider package for `fromAiSdk()`, otherwise request fields. */
  readonly args: JsonObject;
}

/**
 * Settings for a model call. If a setting is omitted, the default of the model applies. The
 * adapters in `@parley/runtime/models` do not send a setting that no model of the API supports, and
 * add a warning to the response. `openAiChat()` sends all settings, because servers differ. A
 * setting that only some models of an API support is sent, and other models may reject the request.
 *
 * @example Settings of an agent
 * ```ts
 * import { type GenerationOptions, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const generateOptions: GenerationOptions = { maxOutputTokens: 2000, reasoning: "low" };
 * const model = scriptedModel([{ text: "Hello" }]);
 * const agent = new ToolLoopAgent({ name: "clerk", model, generateOptions });
 * await agent.run("Hi");
 * assertEquals(model.requests[0]?.options.reasoning, "low");
 * await agent.terminate();
 * ```
 */
export interface GenerationOptions {
  /** Sampling temperature, usually from 0 to 2. */
  readonly temperature?: number;
  /** Probability mass for nucleus sampling, from 0 to 1. */
  readonly topP?: number;
  /** Number of most likely tokens to sample from. */
  readonly topK?: number;
  /**
   * Maximum length of the response, in tokens. A longer response is truncated and has the finish
   * reason `length`. If omitted, `anthropicMessages()` sends the `maxOutputTokens` of the model.
   */
  readonly maxOutputTokens?: number;
  /** Strings that end the response when the model generates one of them. */
  readonly stopSequences?: readonly string[];
  /** Seed for reproducible sampling. */
  readonly seed?: number;
  /** Penalty for tokens that already occur in the generated text. */
  readonly presencePenalty?: number;
  /** Penalty for tokens in proportion to their frequency in the generated text. */
  readonly frequencyPenalty?: number;
  /**
   * Whether the model may (`auto`), must not (`none`) or must (`required`) call tools. An object
   * names a specific tool that the model must call.
   *
   * @default {"auto"}
   */
  readonly toolChoice?: "auto" | "none" | "required" | { readonly toolName: string };
  /**
   * Reasoning effort. `anthropicMessages()` sends it as adaptive thinking, which models before
   * Claude Opus 4.6 and Claude Sonnet 4.6 reject. `anthropicMessages()` and
   * `googleGenerateContent()` convert an effort that the API does not have to a similar one. The
   * other adapters send the effort unchanged.
   */
  readonly reasoning?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  /** Format of the response: text, or JSON with an optional schema. */
  readonly responseFormat?:
    | {
      /** Plain text. */
      readonly type: "text";
    }
    | {
      /** JSON. */
      readonly type: "json";
      /** JSON Schema of the response. */
      readonly schema?: JsonSchema;
      /** Name of the schema. */
      readonly name?: string;
      /** Description of the schema for the model. */
      readonly description?: string;
    };
  /**
   * Tools that the provider executes, for example web search. Provider-executed tools are offered
   * to the model in addition to the registered tools. The provider's calls and results are kept in
   * the conversation and sent back to the provider, but they do not count as tool calls of the run:
   * they need no approval, the run does not execute them, and they do not count toward any limit.
   */
  readonly providerTools?: readonly ProviderTool[];
  /** HTTP headers to add to the request, if the model is called over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Provider-specific data. */
  readonly providerOptions?: ProviderOptions;
}
