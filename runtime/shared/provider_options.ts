/**
 * Provider-specific data.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { isJsonValue, type JsonObject } from "./json.ts";

/** Provider-specific data, keyed by provider name, which the runtime forwards unchanged. */
export type ProviderOptions = { [provider: string]: JsonObject };

/** Returns `true` for JSON objects, keyed by provider. */
export function isProviderOptions(value: unknown): value is ProviderOptions {
  return isRecord(value) && isJsonValue(value) && Object.values(value).every(isRecord);
}
