/**
 * Finds values in responses that differ between two recordings of the same messages.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import type { RecordedEvent } from "./format.ts";

/** Returns the responses, keyed by request id. */
export function responsesOf(events: readonly RecordedEvent[]): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const { dir, msg } of events) {
    if (dir !== "s2c" || !isObject(msg) || "method" in msg || !("id" in msg)) continue;
    found.set(JSON.stringify(msg.id), msg);
  }
  return found;
}

/**
 * Compares the responses in two recordings of the same messages.
 *
 * @returns The paths of values that differ between the recordings. A path is the request id as
 * JSON, followed by a JSON Pointer: `5/result/content/0/text`.
 */
export function findVolatile(
  one: readonly RecordedEvent[],
  other: readonly RecordedEvent[],
): readonly string[] {
  const second = responsesOf(other);
  return [...responsesOf(one)].flatMap(([id, message]) => differences(message, second.get(id), id));
}

function differences(one: unknown, other: unknown, path: string): readonly string[] {
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    return one.flatMap((item, index) => differences(item, other[index], `${path}/${index}`));
  }
  if (isObject(one) && isObject(other)) {
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    return names.flatMap((name) =>
      differences(
        one[name],
        other[name],
        `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
      )
    );
  }
  return JSON.stringify(one) === JSON.stringify(other) ? [] : [path];
}
