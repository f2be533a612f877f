/**
 * Optional members that servers write as `null` or with the wrong type instead of omitting them.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { Deviation } from "../jsonrpc/deviation.ts";
import type { JsonObject } from "../shared/json.ts";

/** Types of members, as in the reports of deviations. */
type MemberType = "an array" | "an object" | "a boolean" | "a number" | "a string";

const IS_OF_TYPE: Readonly<Record<MemberType, (value: unknown) => boolean>> = {
  "an array": Array.isArray,
  "an object": isRecord,
  "a boolean": (value) => typeof value === "boolean",
  "a number": (value) => typeof value === "number",
  "a string": (value) => typeof value === "string",
};

/**
 * Members that servers write as `null` instead of omitting them, and that cannot be `null`. The
 * `structuredContent` of a result can be `null`. A member with a type here is left out if it has
 * another type. The others are checked where they are read.
 */
const OPTIONAL: ReadonlyMap<string, MemberType | undefined> = new Map([
  ["_meta", "an object"],
  ["annotations", "an object"],
  ["arguments", undefined],
  ["blob", undefined],
  ["content", undefined],
  ["description", "a string"],
  ["execution", "an object"],
  ["icons", "an array"],
  ["isError", undefined],
  ["mimeType", "a string"],
  ["outputSchema", "an object"],
  ["required", undefined],
  ["size", "a number"],
  ["text", undefined],
  ["title", "a string"],
]);

/** Members of the annotations of tools and of content blocks. */
const ANNOTATIONS: ReadonlyMap<string, MemberType> = new Map([
  ["audience", "an array"],
  ["destructiveHint", "a boolean"],
  ["idempotentHint", "a boolean"],
  ["lastModified", "a string"],
  ["openWorldHint", "a boolean"],
  ["priority", "a number"],
  ["readOnlyHint", "a boolean"],
  ["title", "a string"],
]);

/**
 * Returns an object without the optional members that are `null` or have the wrong type, and these
 * deviations.
 */
export function withoutInvalid(
  value: JsonObject,
): { readonly rest: JsonObject; readonly deviations: Deviation[] } {
  const deviations: Deviation[] = [];
  let rest = value;
  for (const name in value) {
    const member = value[name];
    const problem = problemOf(name, member);
    if (problem !== undefined) {
      const { [name]: _invalid, ...others } = rest;
      rest = others;
      deviations.push({ what: `"${name}" ${problem}` });
    } else if (name === "annotations" && isRecord(member)) {
      const given = validAnnotations(member, deviations);
      if (given !== member) rest = { ...rest, annotations: given };
    }
  }
  return { rest, deviations };
}

function problemOf(name: string, member: unknown): string | undefined {
  if (!OPTIONAL.has(name) || member === undefined) return undefined;
  if (member === null) return "is null";
  const type = OPTIONAL.get(name);
  return type === undefined || IS_OF_TYPE[type](member) ? undefined : `is not ${type}`;
}

/** Returns the annotations without invalid members. A hint must not count because it is text. */
function validAnnotations(annotations: JsonObject, deviations: Deviation[]): JsonObject {
  const entries = Object.entries(annotations);
  const given = entries.filter(([, value]) => value !== null);
  const valid = given.filter(([name, value]) => {
    const type = ANNOTATIONS.get(name);
    return type === undefined || IS_OF_TYPE[type](value);
  });
  if (valid.length === entries.length) return annotations;
  if (given.length < entries.length) {
    deviations.push({ what: '"annotations" has a member that is null' });
  }
  if (valid.length < given.length) {
    deviations.push({ what: '"annotations" has a member of the wrong type' });
  }
  return Object.fromEntries(valid);
}

/** Returns the items of a list without invalid optional members. */
export function withoutInvalidIn(values: unknown, deviations: Deviation[]): unknown {
  if (!Array.isArray(values)) return values;
  const before = deviations.length;
  const without = values.map((value: unknown) => withoutInvalidAt(value, deviations));
  return deviations.length === before ? values : without;
}

function withoutInvalidAt(value: unknown, deviations: Deviation[]): unknown {
  if (!isRecord(value)) return value;
  const { rest, deviations: found } = withoutInvalid(value);
  if (!isRecord(value.resource)) {
    deviations.push(...found);
    return rest;
  }
  const inner = withoutInvalid(value.resource);
  deviations.push(...found, ...inner.deviations);
  return inner.deviations.length === 0 ? rest : { ...rest, resource: inner.rest };
}

/** Returns a message of a prompt whose content has no invalid optional members. */
export function withoutInvalidContent(message: unknown, deviations: Deviation[]): unknown {
  if (!isRecord(message)) return message;
  return { ...message, content: withoutInvalidAt(message.content, deviations) };
}
