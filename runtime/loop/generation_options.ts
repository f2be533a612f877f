/**
 * Validation of the settings for model calls.
 *
 * @module
 */

import {
  assertCount,
  assertFinite,
  assertNonEmptyString,
  assertRecord,
  assertString,
  assertStrings,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";
import { nested, oneOf } from "@parley/internal/option-checks";
import {
  assertNames,
  namesOf,
  type OptionCheck,
  optionsReader,
  required,
} from "@parley/internal/options";
import { GENERATION_ALIASES } from "../shared/aliases.ts";
import type { GenerationOptions, ProviderTool } from "../shared/generation_options.ts";

const PROVIDER_TOOL_ID = /^[^.]+\../;

const JSON_FORMAT_NAMES = namesOf<
  Extract<GenerationOptions["responseFormat"], { readonly type: "json" }>
>({ type: true, schema: true, name: true, description: true });

const assertProviderTool = nested(
  optionsReader<ProviderTool>("providerTools")({
    id: required((name, id) => {
      if (typeof id === "string" && PROVIDER_TOOL_ID.test(id)) return;
      rejectArgument(name, 'of the form "provider.tool"', id);
    }),
    name: required(assertNonEmptyString),
    args: required(assertRecord),
  }),
);

const readGenerationOptions = optionsReader<GenerationOptions>(
  "generateOptions",
  GENERATION_ALIASES,
)({
  temperature: assertFinite,
  topP: assertFinite,
  topK: assertFinite,
  maxOutputTokens: assertCount,
  stopSequences: assertStrings,
  seed: assertFinite,
  presencePenalty: assertFinite,
  frequencyPenalty: assertFinite,
  toolChoice: assertToolChoice,
  reasoning: oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max"),
  responseFormat: assertResponseFormat,
  providerTools: assertProviderTools,
  headers: assertRecord,
  providerOptions: assertRecord,
});

/**
 * Asserts that a value is an object of settings for model calls.
 *
 * @throws {TypeError} If the object contains an unknown name, or a setting has the wrong type.
 * @throws {RangeError} If `maxOutputTokens` is not a positive integer.
 */
export const assertGenerateOptions: OptionCheck = nested(readGenerationOptions);

function assertToolChoice(name: string, choice: unknown): void {
  if (!isRecord(choice)) return oneOf("auto", "none", "required")(name, choice);
  assertNames(name, choice, namesOf<{ toolName: string }>({ toolName: true }));
  assertString(`${name}.toolName`, choice.toolName);
}

function assertResponseFormat(name: string, format: unknown): void {
  assertRecord(name, format);
  oneOf("text", "json")(`${name}.type`, format.type ?? null);
  assertNames(name, format, JSON_FORMAT_NAMES);
}

function assertProviderTools(name: string, tools: unknown): void {
  if (!Array.isArray(tools)) rejectArgument(name, "an array", tools);
  for (const [index, tool] of tools.entries()) assertProviderTool(`${name}[${index}]`, tool);
}
