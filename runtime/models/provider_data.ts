/**
 * Provider-specific data of messages, parts and tool results.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { ProviderOptions } from "../shared/provider_options.ts";

/**
 * Keys under which the model adapters store the data that a server has sent. The keys of all APIs
 * are listed, because models of several APIs can have the same provider name.
 */
const STORED: ReadonlySet<string> = new Set([
  "annotations",
  "block",
  "callFields",
  "item",
  "itemFields",
  "messageFields",
  "part",
  "reasoningDetails",
  "reasoningField",
  "signature",
  "thought",
  "thoughtSignature",
]);

/**
 * Returns the request fields that the caller has set for a message, a part or a result: its
 * provider-specific data without the data that a server has sent.
 */
export function callerFieldsOf(
  { providerOptions }: { readonly providerOptions?: ProviderOptions },
  provider: string,
): JsonObject {
  const fields = Object.entries(providerOptions?.[provider] ?? {});
  return Object.fromEntries(fields.filter(([name]) => !STORED.has(name)));
}
