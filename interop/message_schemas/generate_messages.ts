/**
 * Generates messages that an official MCP schema accepts, and changes them so that most of them
 * become invalid. The same seed generates the same messages.
 *
 * @module
 */

import { isObject } from "../../conformance/kit/json.ts";
import {
  methodsOf,
  type OfficialSchema,
  RESULTS,
  type Sample,
  type Schema,
} from "./official_schema.ts";

type Random = () => number;

/** A definition from which messages are generated. */
interface Source {
  readonly from: "client" | "server";
  readonly method: string;
  readonly kind: "request" | "notification" | "result" | "error";
  /** Name of the definition of the request, the notification or the result. */
  readonly name: string;
}

/** Generates messages of all kinds and methods. Every second message is changed. */
export function generateMessages(
  official: OfficialSchema,
  random: Random,
  count: number,
): readonly Sample[] {
  const sources = sourcesOf(official);
  return Array.from({ length: count }, (_, index) => {
    const source = pick(random, sources);
    const sample = generateSample(official, random, source);
    return index % 2 === 0 ? sample : { ...sample, message: change(sample.message, random) };
  });
}

function sourcesOf(official: OfficialSchema): readonly Source[] {
  const sources: Source[] = [];
  for (const from of ["client", "server"] as const) {
    const side = from === "client" ? "Client" : "Server";
    for (const kind of ["request", "notification"] as const) {
      const union = `${side}${kind === "request" ? "Request" : "Notification"}`;
      if (!official.definitions.has(union)) continue;
      for (const [method, name] of methodsOf(official, union)) {
        sources.push({ from, kind, method, name });
        if (kind === "notification") continue;
        const result = RESULTS.get(method) ?? "EmptyResult";
        const other = from === "client" ? "server" : "client";
        sources.push({ from: other, kind: "result", method, name: result });
        if (["tools/call", "resources/read", "prompts/get"].includes(method)) {
          for (const more of ["InputRequiredResult", "CreateTaskResult"]) {
            const isDefined = official.definitions.has(more) &&
              (more !== "CreateTaskResult" || method === "tools/call");
            if (isDefined) sources.push({ from: other, kind: "result", method, name: more });
          }
        }
      }
    }
  }
  for (const name of official.definitions.keys()) {
    const isError = /^JSONRPCError(Response)?$|^(URL|Unsupported|Missing|Header).*Error$/.test(
      name,
    );
    if (isError) sources.push({ from: "server", kind: "error", method: "tools/call", name });
  }
  return sources;
}

function generateSample(official: OfficialSchema, random: Random, source: Source): Sample {
  const value = generate(official, random, { $ref: `/${source.name}` }, 0);
  const own = isObject(value) ? value : {};
  const { from, kind, method } = source;
  const envelope = { jsonrpc: "2.0", ...(kind === "notification" ? {} : { id: 7 }) };
  if (kind === "result") {
    const result = source.name === "InputRequiredResult"
      ? { ...own, resultType: "input_required" }
      : "resultType" in own
      ? { ...own, resultType: "complete" }
      : own;
    return { from, method, message: { ...envelope, result } };
  }
  return { from, method, message: { ...envelope, ...own } };
}

/** Generates a value that a schema accepts. */
function generate(
  official: OfficialSchema,
  random: Random,
  schema: unknown,
  depth: number,
): unknown {
  if (!isObject(schema)) return "any";
  const { $ref, anyOf, allOf, const: constant, enum: values, type } = schema;
  const next = (part: unknown) => generate(official, random, part, depth + 1);
  if (typeof $ref === "string") {
    const name = $ref.split("/").at(-1) ?? "";
    if (name.startsWith("JSON") && name !== "JSONObject" && depth > 2) return "any";
    return next(official.definitions.get(name));
  }
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return pick(random, values);
  if (Array.isArray(anyOf)) return next(pick(random, anyOf));
  if (Array.isArray(allOf)) return mergeAll(allOf.map(next));
  switch (Array.isArray(type) ? pick(random, type) : type) {
    case "string":
      return generateString(random, schema.format);
    case "integer":
      return Math.floor(random() * 5) + Number(schema.minimum ?? 0);
    case "number":
      return schema.maximum === 1 ? pick(random, [0, 0.5, 1]) : pick(random, [0, 1.5, 40, -2]);
    case "boolean":
      return random() < 0.5;
    case "null":
      return null;
    case "array":
      return Array.from({ length: Math.floor(random() * 3) }, () => next(schema.items));
    case "object":
      return generateObject(official, random, schema, depth);
    default:
      return pick(random, ["any", 3, null, [1], { a: true }]);
  }
}

function generateObject(
  official: OfficialSchema,
  random: Random,
  schema: Schema,
  depth: number,
): Readonly<Record<string, unknown>> {
  const { additionalProperties, properties, required } = schema;
  const needed = Array.isArray(required) ? required : [];
  const members: Record<string, unknown> = {};
  const chance = depth > 6 ? 0.15 : 0.45;
  for (const [name, part] of Object.entries(isObject(properties) ? properties : {})) {
    if (!needed.includes(name) && random() > chance) continue;
    members[name] = generate(official, random, part, depth + 1);
  }
  const isMap = isObject(additionalProperties) && !isObject(properties);
  if (isMap && depth < 9) {
    for (const name of ["first", "second/~ %"]) {
      if (random() < 0.5) continue;
      members[name] = generate(official, random, additionalProperties, depth + 1);
    }
  }
  return members;
}

function generateString(random: Random, format: unknown): string {
  if (format === "uri") return pick(random, ["https://example.com/a", "file:///a", "test://x"]);
  if (format === "uri-template") return "test://{name}";
  if (format === "byte") return "AAEC";
  return pick(random, ["", "a", "text/plain", "2025-11-25", "é𝄞"]);
}

/** Changes a random member: another type, a missing member, another string or an extra member. */
function change(value: unknown, random: Random): unknown {
  const copy: unknown = structuredClone(value);
  const places: { readonly parent: Record<string, unknown> | unknown[]; readonly key: string }[] =
    [];
  const collect = (parent: unknown): void => {
    if (!isObject(parent) && !Array.isArray(parent)) return;
    // `structuredClone` returned these objects, so that they can be changed.
    const open = parent as Record<string, unknown> | unknown[];
    for (const [key, child] of Object.entries(parent)) {
      places.push({ parent: open, key });
      collect(child);
    }
  };
  collect(copy);
  const { parent, key } = pick(random, places);
  const old: unknown = Reflect.get(parent, key);
  const kind = random();
  if (kind < 0.3 && !Array.isArray(parent)) delete parent[key];
  else if (kind < 0.4 && isObject(old)) Reflect.set(old, "vendor/member", { any: [1] });
  else if (kind < 0.6 && typeof old === "string") Reflect.set(parent, key, `${old}~`);
  else Reflect.set(parent, key, pick(random, others(old)));
  return copy;
}

function others(old: unknown): readonly unknown[] {
  const all: readonly unknown[] = ["yes", 5, 1.5, true, null, [], ["a"], {}, { a: "b" }];
  return all.filter((each) =>
    typeof each !== typeof old || Array.isArray(each) !== Array.isArray(old)
  );
}

function mergeAll(values: readonly unknown[]): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...values.filter(isObject));
}

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError("nothing to choose from");
  return item;
}
