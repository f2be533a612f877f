/**
 * Writes out the short forms of a case file: default members, named values, repeated text and
 * joined text. The rest of the kit works only with complete cases.
 *
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "./json.ts";
import { show } from "./match_value.ts";

/** Maximum length of a text that `$repeat` and `$join` create, in UTF-16 code units. */
const MAX_TEXT_LENGTH = 16_777_216;

/** Members of a case file that its cases share. */
export interface SharedMembers {
  /** Members of each case that does not have these members itself. */
  readonly defaults?: JsonObject;
  /** Values that `{"$value": name}` stands for. */
  readonly values?: JsonObject;
}

/**
 * Returns a case with the default members, and with the values and texts that its short forms stand
 * for.
 */
export function expandCase(
  written: JsonObject,
  { defaults, values = {} }: SharedMembers,
): JsonObject {
  const members = Object.entries({ ...defaults, ...written });
  return Object.fromEntries(members.map(([name, value]) => [name, expand(value, values)]));
}

/** Describes the first malformed short form in a case. Returns `undefined` if there is none. */
export function findShortFormProblem(
  written: JsonObject,
  { defaults, values = {} }: SharedMembers,
): string | undefined {
  const members = Object.values({ ...defaults, ...written });
  return findFirst(members, (value) => findProblem(value, values));
}

/**
 * Describes the first malformed short form in the values of a file. Returns `undefined` if there is
 * none.
 */
export function findValueProblem({ values = {} }: SharedMembers): string | undefined {
  // A value cannot contain other values.
  return findFirst(Object.values(values), (value) => findProblem(value, {}));
}

function expand(value: JsonValue, values: JsonObject): JsonValue {
  if (isList(value)) {
    const items = value.map((item) => expand(item, values));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const form = readShortForm(value);
  if (form?.name === "$value") return expand(values[String(form.value)] ?? null, {});
  if (form !== undefined) return expandText(value);
  const names = Object.keys(value);
  const members = names.map((name) => expand(value[name] ?? null, values));
  // Few objects contain short forms, and copying all others would double the time until the cases
  // are loaded.
  if (names.every((name, index) => value[name] === members[index])) return value;
  return Object.fromEntries(names.map((name, index) => [name, members[index] ?? null]));
}

/** Expands a text, `$repeat` or `$join`, which must be well-formed. */
function expandText(value: JsonValue): string {
  const form = isObject(value) ? readShortForm(value) : undefined;
  if (form === undefined || !isList(form.value)) return String(value);
  if (form.name === "$join") return form.value.map(expandText).join("");
  const [text = "", count] = form.value;
  return expandText(text).repeat(Number(count));
}

function findProblem(value: JsonValue, values: JsonObject): string | undefined {
  if (isList(value)) return findFirst(value, (item) => findProblem(item, values));
  if (typeof value !== "object" || value === null) return undefined;
  const form = readShortForm(value);
  if (form === undefined) {
    return findFirst(Object.values(value), (member) => findProblem(member, values));
  }
  if (form.name === "$value") return findNameProblem(form.value, values);
  const length = measureText(value);
  if (typeof length === "string") return length;
  return length <= MAX_TEXT_LENGTH
    ? undefined
    : `"${form.name}" must create at most ${MAX_TEXT_LENGTH} characters, got ${length}`;
}

function findNameProblem(name: JsonValue, values: JsonObject): string | undefined {
  if (typeof name === "string" && Object.hasOwn(values, name)) return undefined;
  return `"$value" must be the name of a member of "values", got ${show(name)}`;
}

/**
 * Returns the length of the text that a text, `$repeat` or `$join` stands for, or the reason why it
 * is malformed.
 */
function measureText(value: JsonValue): number | string {
  if (typeof value === "string") return value.length;
  const form = isObject(value) ? readShortForm(value) : undefined;
  if (form?.name === "$repeat") return measureRepeat(form.value);
  if (form?.name === "$join") return measureJoin(form.value);
  return `a part of "$join" or "$repeat" must be a string, "$join" or "$repeat", got ${
    show(value)
  }`;
}

function measureRepeat(value: JsonValue): number | string {
  const [text, count, ...more] = isList(value) ? value : [];
  if (text === undefined || typeof count !== "number" || more.length > 0) {
    return `"$repeat" must be [text, count], got ${show(value)}`;
  }
  if (!Number.isSafeInteger(count) || count < 1) {
    return `the count of "$repeat" must be a positive integer, got ${count}`;
  }
  const length = measureText(text);
  return typeof length === "string" ? length : length * count;
}

function measureJoin(value: JsonValue): number | string {
  if (!isList(value) || value.length === 0) {
    return `"$join" must be a list of texts, got ${show(value)}`;
  }
  const lengths = value.map(measureText);
  const problem = lengths.find((length) => typeof length === "string");
  return problem ?? lengths.reduce<number>((sum, length) => sum + Number(length), 0);
}

/** A short form: an object whose only member has one of three names. */
interface ShortForm {
  readonly name: "$repeat" | "$join" | "$value";
  readonly value: JsonValue;
}

function readShortForm(value: JsonObject): ShortForm | undefined {
  const [name, ...others] = Object.keys(value);
  if (others.length > 0 || (name !== "$repeat" && name !== "$join" && name !== "$value")) {
    return undefined;
  }
  return { name, value: value[name] ?? null };
}

function findFirst(
  values: readonly JsonValue[],
  find: (value: JsonValue) => string | undefined,
): string | undefined {
  for (const value of values) {
    const problem = find(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
