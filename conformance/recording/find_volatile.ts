/**
 * Finds the values of responses that change from one recording to the next.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import type { RecordedEvent } from "./format.ts";

/** Returns the responses by request id. */
export function responsesOf(events: readonly RecordedEvent[]): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const { dir, msg } of events) {
    if (dir !== "s2c" || !isObject(msg) || "method" in msg || !("id" in msg)) continue;
    found.set(JSON.stringify(msg.id), msg);
  }
  return found;
}

/**
 * Compares two recordings of the same messages.
 *
 * @returns The paths of different values: the request id as JSON and a JSON Pointer, such as `5/result/content/0/text`.
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
