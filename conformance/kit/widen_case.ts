/**
 * Adds accepted values to the expectations of a case. Only places are allowed at which a further
 * value can turn a failure into a pass, and never the reverse.
 *
 * @module
 */

import type { Case, Matcher } from "./case.ts";
import { isList, isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { ReadResult } from "./load_cases.ts";

/** A further value that a case accepts. */
export interface Widening {
  /** JSON Pointer to an expected value in the complete case. */
  readonly at: string;
  /** Matcher for the further value. */
  readonly value: Matcher;
}

/** Expressions that accept more if their operand accepts more. */
const WITH_MATCHER: ReadonlySet<string> = new Set(["$each", "$json", "$last"]);

/** Expressions that accept more if a member of their operand accepts more. */
const WITH_MATCHERS: ReadonlySet<string> = new Set(["$allOf", "$exact", "$oneOf"]);

/** Members of steps in exchange cases whose expectation is compared with one given message. */
const COMPARED: readonly string[] = ["request", "await", "http"];

const NOT_COMPARED = "the value is not compared with the result of the subject";

/** Returns the case with a further accepted value, or the reason why it cannot be added. */
export function widenCase(each: Case, { at, value }: Widening): ReadResult<Case> {
  const tokens = at.split("/").slice(1).map((token) =>
    token.replaceAll("~1", "/").replaceAll("~0", "~")
  );
  const length = expectationLength(each, tokens);
  if (length === undefined || tokens.length < length) return { ok: false, reason: NOT_COMPARED };
  // All members of a case are JSON values.
  const body = each as unknown as JsonObject;
  const target = descend(body, tokens.slice(0, length));
  const problem = target === undefined
    ? `there is no value at "${at}"`
    : findBlocked(target, tokens.slice(length));
  if (problem !== undefined) return { ok: false, reason: problem };
  const widened = replaceAt(body, tokens, (old) => ({ $oneOf: [old, value] }));
  return { ok: true, value: widened as unknown as Case };
}

/** Returns the number of tokens that lead to a matcher, or `undefined` if they lead elsewhere. */
function expectationLength(each: Case, tokens: readonly string[]): number | undefined {
  const [list, index = "", member, outcome] = tokens;
  if (each.kind === "vector") return list === "rows" ? outcomeLength(member, outcome) : undefined;
  if (list !== "steps" || !("steps" in each) || member !== "expect") return undefined;
  const step: object = each.steps[Number(index)] ?? {};
  if (each.kind !== "exchange") {
    return "do" in step || "await" in step ? outcomeLength(member, outcome) : undefined;
  }
  // The response must not be replaced as a whole, because its envelope is compared exactly. If the
  // step is optional, a response that matches leads to further steps, which can fail.
  return COMPARED.some((name) => name in step) && !("optional" in step) ? 4 : undefined;
}

/** An outcome is not a matcher, but its members are. */
function outcomeLength(
  member: string | undefined,
  outcome: string | undefined,
): number | undefined {
  if (member !== "expect") return undefined;
  if (outcome === "ok") return 4;
  return outcome === "error" ? 5 : undefined;
}

/** Returns the reason why a place within a matcher cannot accept more. */
function findBlocked(matcher: JsonValue, tokens: readonly string[]): string | undefined {
  const [token, ...rest] = tokens;
  if (token === undefined) return undefined;
  const value = member(matcher, token);
  if (value === undefined) return `there is no value at "${token}"`;
  const isAllowed = WITH_MATCHER.has(token) || (WITH_MATCHERS.has(token) && rest.length > 0);
  if (isExpression(matcher) && !isAllowed) {
    return `a further value within ${token} can make the case stricter`;
  }
  return findBlocked(value, rest);
}

function isExpression(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const [name = "", ...others] = Object.keys(value);
  return name.startsWith("$") && others.length === 0;
}

function descend(value: JsonValue, tokens: readonly string[]): JsonValue | undefined {
  return tokens.reduce<JsonValue | undefined>(
    (found, token) => found === undefined ? undefined : member(found, token),
    value,
  );
}

function member(value: JsonValue, token: string): JsonValue | undefined {
  if (isList(value)) return /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  return Object.hasOwn(value, token) ? value[token] : undefined;
}

function replaceAt(
  value: JsonValue,
  [token, ...rest]: readonly string[],
  replace: (old: JsonValue) => JsonValue,
): JsonValue {
  if (token === undefined) return replace(value);
  if (isList(value)) {
    return value.map((item, index) =>
      index === Number(token) ? replaceAt(item, rest, replace) : item
    );
  }
  if (typeof value !== "object" || value === null) return value;
  return { ...value, [token]: replaceAt(value[token] ?? null, rest, replace) };
}
