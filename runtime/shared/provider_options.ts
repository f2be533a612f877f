/**
 * Checks of provider-specific data.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { isJsonValue } from "./json.ts";
import type { ProviderOptions } from "./model.ts";

/** Returns `true` for JSON objects, keyed by provider. */
export function isProviderOptions(value: unknown): value is ProviderOptions {
  return isRecord(value) && isJsonValue(value) && Object.values(value).every(isRecord);
}
