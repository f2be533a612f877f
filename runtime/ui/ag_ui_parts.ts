/**
 * Conversion of tool outputs and token counts to AG-UI.
 *
 * @module
 */

import { defined } from "@parley/internal/json";
import { toBase64 } from "../models/file_data.ts";
import type { JsonObject } from "../shared/json.ts";
import type {
  FilePart,
  TextPart,
  ToolCall,
  ToolResult,
  ToolResultOutput,
} from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import type { AgUiContentPart, AgUiOutcome, AgUiUsage } from "./ag_ui_events.ts";

/** Converts a tool's output to text, or to AG-UI parts if the output consists of parts. */
export function toContent(output: ToolResultOutput): string | AgUiContentPart[] {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ?? "The call was denied";
    case "content":
      return output.value.map(toContentPart);
  }
}

/** Converts a part of a message to AG-UI. */
export function toContentPart(part: TextPart | FilePart): AgUiContentPart {
  if (part.type === "text") return { type: "text", text: part.text };
  const { data, mediaType: mimeType } = part;
  const type = (["image", "audio", "video"] as const).find((one) => mimeType.startsWith(`${one}/`));
  return {
    type: type ?? "document",
    source: data.type === "url"
      ? { type: "url", value: data.url.href, mimeType }
      : { type: "data", value: toBase64(data.data), mimeType },
  };
}

/**
 * Returns the input of a tool call as JSON text, or the model's raw text if the input is not valid
 * JSON.
 */
export function inputTextOf({ input, rawInput }: Pick<ToolCall, "input" | "rawInput">): string {
  return rawInput ?? JSON.stringify(input ?? {});
}

/** Returns the metadata of a tool result. Returns `undefined` if the call succeeded. */
export function metadataOf({ code, isError }: ToolResult): JsonObject | undefined {
  return isError ? { parley: { isError, ...code !== undefined && { code } } } : undefined;
}

/** Returns the outcome of a run that does not wait. */
export function toOutcome(stopReason: string): AgUiOutcome {
  const isCancelled = stopReason === "aborted" || stopReason === "terminated";
  return { type: isCancelled ? "cancelled" : "success" };
}

/** Returns the token counts of each model. */
export function toUsages(
  provider: string | undefined,
  { usageByAgent, usageByModel }: ToolLoopOutput,
): AgUiUsage[] {
  const usages = Object.entries(usageByModel);
  // Other models may have other providers.
  const isAlone = usages.length === 1 && usageByAgent === undefined;
  return usages.map(([model, { cacheWriteTokens, ...counts }]) =>
    defined({
      provider: isAlone ? provider : undefined,
      model,
      inputTokens: counts.inputTokens,
      outputTokens: counts.outputTokens,
      totalTokens: counts.totalTokens,
      reasoningTokens: counts.reasoningTokens,
      cachedInputTokens: counts.cachedInputTokens,
      cacheWriteInputTokens: cacheWriteTokens,
    })
  );
}
