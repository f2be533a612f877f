/**
 * Converts a recording to exchange cases, one per request, with matchers for values that can
 * change.
 *
 * @module
 */

import type { Matcher } from "../kit/case.ts";
import { isObject, type JsonObject, type JsonValue } from "../kit/json.ts";
import { responsesOf } from "./find_volatile.ts";
import type { RecordedEvent, Recording } from "./format.ts";

/** Options for {@linkcode toCaseFile}. */
export interface ToCasesOptions {
  /** Prefix that the ids of the cases share. */
  readonly area: string;
  /** Whether prose strings in responses must match exactly. */
  readonly isGolden: boolean;
}

/**
 * Methods that open a session. No cases are created for requests that open a session, because the
 * kit opens the session itself.
 */
const OPENING: ReadonlySet<string> = new Set(["initialize", "server/discover"]);

/** Server capability that each method prefix requires. */
const CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ["tools", "tools"],
  ["resources", "resources"],
  ["prompts", "prompts"],
  ["completion", "completions"],
  ["logging", "logging"],
]);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/**
 * Matches short strings without whitespace, which are names and must match; all other strings are
 * prose.
 */
const NAME = /^[^\s]{0,64}$/;

/** Creates a case file. All cases have the level `INFO`, because they do not reference a clause. */
export function toCaseFile({ header, events }: Recording, options: ToCasesOptions): JsonObject {
  const responses = responsesOf(events);
  const requests = events.filter(isRequest).map(({ msg }) => msg);
  const names = new Map<string, number>();
  const cases = requests.flatMap((request) => {
    const response = responses.get(JSON.stringify(request.id));
    if (OPENING.has(request.method) || !isObject(response)) return [];
    const context = { ...options, volatile: new Set(header.volatile ?? []) };
    return [toCase(request, requests, responses, names, context)];
  });
  const source = header.command?.join(" ") ?? header.url ?? "a recording";
  return {
    kit: 1,
    defaults: { source: `recorded from ${source} at ${header.at.slice(0, 10)}` },
    cases,
  };
}

interface Request {
  readonly id: JsonValue;
  readonly method: string;
  readonly params?: JsonValue;
}

interface CaseContext extends ToCasesOptions {
  readonly volatile: ReadonlySet<string>;
}

function isRequest(
  event: RecordedEvent,
): event is RecordedEvent & { readonly msg: Request } {
  const { dir, msg } = event;
  return dir === "c2s" && isObject(msg) && typeof msg.method === "string" && "id" in msg;
}

function toCase(
  request: Request,
  requests: readonly Request[],
  responses: ReadonlyMap<string, unknown>,
  names: Map<string, number>,
  context: CaseContext,
): JsonObject {
  const { method, params } = request;
  const slug = slugOf(request);
  const count = (names.get(slug) ?? 0) + 1;
  names.set(slug, count);
  const before = findPageBefore(request, requests, responses);
  const steps = before === undefined ? [toStep(request, responses, context)] : [
    withCursor(toStep(before, responses, context)),
    toStep({ ...request, params: replaceCursor(params) }, responses, context),
  ];
  return {
    id: `${context.area}/${slug}${count === 1 ? "" : `-${count}`}`,
    kind: "exchange",
    title: `${method} returns the recorded response`,
    level: "INFO",
    basis: "recorded",
    clauses: [],
    ...needsOf(request, responses.get(JSON.stringify(request.id))),
    why: "A changed response may break the server's clients.",
    role: "server",
    steps,
  };
}

function toStep(
  { id, method, params }: Request,
  responses: ReadonlyMap<string, unknown>,
  context: CaseContext,
): JsonObject {
  const response = responses.get(JSON.stringify(id));
  const { result, error } = isObject(response) ? response : {};
  const path = JSON.stringify(id);
  const expect: JsonObject = error === undefined
    ? { result: toMatcher(result, `${path}/result`, context) }
    : { error: { code: isObject(error) ? toJson(error.code) : { $type: "integer" } } };
  return {
    request: { method, ...(params === undefined ? {} : { params: withoutMeta(params) }) },
    expect,
  };
}

/**
 * Finds the recorded request whose response contained the cursor that a later request sends. Cases
 * must use the cursor from the server under test instead of the recorded cursor.
 */
function findPageBefore(
  { method, params }: Request,
  requests: readonly Request[],
  responses: ReadonlyMap<string, unknown>,
): Request | undefined {
  const cursor = isObject(params) ? params.cursor : undefined;
  if (cursor === undefined) return undefined;
  return requests.find((each) => {
    const response = responses.get(JSON.stringify(each.id));
    const result = isObject(response) && isObject(response.result) ? response.result : {};
    return each.method === method && result.nextCursor === cursor;
  });
}

function withCursor(step: JsonObject): JsonObject {
  return { ...step, expect: { result: { nextCursor: { $capture: "cursor" } } } };
}

function replaceCursor(params: JsonValue | undefined): JsonValue {
  return { ...(isObject(params) ? params : {}), cursor: { $ref: "cursor" } } as JsonObject;
}

/** Removes `_meta`, because its progress tokens belong to the recorded client. */
function withoutMeta(params: JsonValue): JsonValue {
  if (!isObject(params)) return params;
  const { _meta: _, ...rest } = params;
  return rest as JsonObject;
}

function toMatcher(value: unknown, path: string, context: CaseContext): Matcher {
  if (Array.isArray(value)) {
    return value.map((item, index) => toMatcher(item, `${path}/${index}`, context));
  }
  if (isObject(value)) {
    const entries = Object.entries(value).filter(([name]) => name !== "_meta");
    // In a matcher, an object with a member name that starts with `$` is an expression.
    if (entries.some(([name]) => name.startsWith("$"))) return { $const: toJson(value) };
    return Object.fromEntries(
      entries.map(([name, item]) => [name, toMatcher(item, `${path}/${escape(name)}`, context)]),
    );
  }
  if (context.volatile.has(path)) return { $type: typeOf(value) };
  return typeof value === "string" ? toTextMatcher(value, context) : toJson(value);
}

function toTextMatcher(text: string, { isGolden }: CaseContext): Matcher {
  if (TIME.test(text)) return { $time: true };
  if (UUID.test(text)) return { $uuid: true };
  return isGolden || NAME.test(text) ? text : { $type: "string" };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "undefined" ? "null" : typeof value;
}

/** Narrows the type of a recorded value: all values in a parsed recording are JSON values. */
function toJson(value: unknown): JsonValue {
  return value as JsonValue;
}

/** Returns a case's prerequisites: the capability and the fixtures that the request uses. */
function needsOf({ method, params }: Request, response: unknown): JsonObject {
  const capability = CAPABILITIES.get(method.split("/")[0] ?? "");
  if (capability === undefined) return {};
  const { name, uri } = isObject(params) ? params : {};
  const fixtures = method === "tools/call"
    ? [`tool:${name}`]
    : method === "resources/read"
    ? [`resource:${uri}`]
    : method === "prompts/get"
    ? [`prompt:${name}`]
    : listedBy(method, response);
  return {
    needs: { capabilities: [capability], ...(fixtures.length === 0 ? {} : { fixtures }) },
  };
}

function listedBy(method: string, response: unknown): readonly string[] {
  const list = /^(tools|resources|prompts)\/list$/.exec(method)?.[1];
  const result = isObject(response) && isObject(response.result) ? response.result : {};
  const items = list === undefined ? [] : result[list];
  if (list === undefined || !Array.isArray(items)) return [];
  const key = list === "resources" ? "uri" : "name";
  return items.filter(isObject).map((item) => `${list.slice(0, -1)}:${item[key]}`);
}

function slugOf({ method, params }: Request): string {
  const { name, uri } = isObject(params) ? params : {};
  const subject = typeof name === "string" ? name : typeof uri === "string" ? uri : "";
  return `${method}-${subject}`.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase()
    .replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
