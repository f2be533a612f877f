/**
 * Optional members that servers write as `null` instead of omitting them.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { Deviation } from "../jsonrpc/deviation.ts";
import type { JsonObject } from "../shared/json.ts";

/**
 * Members that servers write as `null` instead of omitting them, and that cannot be `null`. The
 * `structuredContent` of a result can be `null`.
 */
const OPTIONAL: ReadonlySet<string> = new Set([
  "_meta",
  "annotations",
  "arguments",
  "blob",
  "content",
  "description",
  "execution",
  "icons",
  "isError",
  "mimeType",
  "outputSchema",
  "required",
  "size",
  "text",
  "title",
]);

/** Returns an object without the optional members that are `null`, and these deviations. */
export function withoutNulls(
  value: JsonObject,
): { readonly rest: JsonObject; readonly deviations: Deviation[] } {
  const deviations: Deviation[] = [];
  let rest = value;
  for (const name in value) {
    const member = value[name];
    if (member === null && OPTIONAL.has(name)) {
      const { [name]: _null, ...others } = rest;
      rest = others;
      deviations.push({ what: `"${name}" is null` });
    } else if (name === "annotations" && isRecord(member)) {
      const entries = Object.entries(member);
      const given = entries.filter(([, hint]) => hint !== null);
      if (given.length === entries.length) continue;
      rest = { ...rest, annotations: Object.fromEntries(given) };
      deviations.push({ what: '"annotations" has a member that is null' });
    }
  }
  return { rest, deviations };
}

/** Returns the items of a list without the optional members that are `null`. */
export function withoutNullsIn(values: unknown, deviations: Deviation[]): unknown {
  if (!Array.isArray(values)) return values;
  const before = deviations.length;
  const without = values.map((value: unknown) => withoutNullsAt(value, deviations));
  return deviations.length === before ? values : without;
}

function withoutNullsAt(value: unknown, deviations: Deviation[]): unknown {
  if (!isRecord(value)) return value;
  const { rest, deviations: found } = withoutNulls(value);
  if (!isRecord(value.resource)) {
    deviations.push(...found);
    return rest;
  }
  const inner = withoutNulls(value.resource);
  deviations.push(...found, ...inner.deviations);
  return inner.deviations.length === 0 ? rest : { ...rest, resource: inner.rest };
}

/** Returns a message of a prompt whose content has no optional members that are `null`. */
export function withoutNullContent(message: unknown, deviations: Deviation[]): unknown {
  if (!isRecord(message)) return message;
  return { ...message, content: withoutNullsAt(message.content, deviations) };
}
