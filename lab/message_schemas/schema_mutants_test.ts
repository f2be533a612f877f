/**
 * Gaps in the schemas of messages: a schema without one keyword. The tables of messages in
 * `conformance/message_schemas/testdata` must notice each gap.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { isObject } from "../../conformance/kit/json.ts";
import { compileSchemaProblems } from "../../conformance/kit/schema.ts";
import { type MessageKind, messageSchema } from "../../conformance/message_schemas/envelope.ts";
import { createMethods } from "../../conformance/message_schemas/methods.ts";
import type { Schema } from "../../conformance/message_schemas/parts.ts";
import { TABLES } from "../../conformance/message_schemas/testdata/all_rows.ts";
import { changeMessage } from "../../conformance/message_schemas/testdata/change_message.ts";
import { commonChanges } from "../../conformance/message_schemas/testdata/envelope_rows.ts";
import type { MessageRow } from "../../conformance/message_schemas/testdata/message_row.ts";
import {
  MESSAGE_VERSIONS,
  type MessageVersion,
} from "../../conformance/message_schemas/versions.ts";
import { seededRandom, shuffle } from "../selftest/random/seeded_random.ts";

/** A gap in one place. */
interface GapIn {
  readonly gap: Gap;
  readonly target: Target;
}

Deno.test("the tables of messages notice 100 random gaps in the schemas", () => {
  const all = createTargets().flatMap((target) => findGaps(target).map((gap) => ({ gap, target })));
  const definitions = Map.groupBy(all, ({ gap, target }) => `${target.version} ${gap.definition}`);
  assert(definitions.size > 1_000, String(definitions.size));
  const verdicts = new Map<Target, string>();
  const isNoticed = ({ gap, target }: GapIn) => {
    const original = verdicts.get(target) ?? verdictsOf(target, target.schema);
    verdicts.set(target, original);
    return verdictsOf(target, withGap(target.schema, gap)) !== original;
  };
  const drawn = shuffle([...definitions.values()], seededRandom(1)).slice(0, 100);
  // The same definition occurs in several messages. It is enough that the tables notice one of
  // them.
  const unnoticed = drawn.filter((places) =>
    !places.toSorted((a, b) => a.gap.path.length - b.gap.path.length).slice(0, 8).some(isNoticed)
  );
  const names = unnoticed.flatMap(([first]) =>
    first === undefined ? [] : [
      `${first.target.label} ${first.gap.path.join(".")} ${first.gap.keyword} ${
        first.gap.entry ?? ""
      }`,
    ]
  );
  assertEquals(names, []);
});

/** The schema of a kind of message, with the messages of the tables. */
interface Target {
  readonly version: MessageVersion;
  readonly label: string;
  readonly schema: Schema;
  readonly messages: readonly unknown[];
}

/** A keyword, or an entry of `required`, that can be removed from a schema. */
interface Gap {
  /** Equal for all places in which a version has the same definition. */
  readonly definition: string;
  readonly path: readonly string[];
  readonly keyword: string;
  readonly entry?: string;
}

const KEYWORDS = ["type", "enum", "pattern", "minimum", "maximum", "maxItems", "not"];

/** Creates the schemas of all versions and methods to which messages of the tables belong. */
function createTargets(): readonly Target[] {
  return MESSAGE_VERSIONS.flatMap((version) => {
    const rows = Object.values(TABLES).flat().filter((row) => isIn(row, version));
    const groups = Map.groupBy(rows, (row) => `${kindOf(row)} ${methodOf(row)}`);
    const methods = createMethods(version);
    return [...groups].flatMap(([name, group]) => {
      const [first] = group;
      if (first === undefined) return [];
      const schemas = methods.get(methodOf(first));
      return [{
        version,
        label: `${version} ${name}`,
        schema: messageSchema(kindOf(first), version, schemas),
        messages: group.flatMap((row) => messagesOf(row)),
      }];
    });
  });
}

/** Finds all keywords that can be removed with an effect. */
function findGaps({ schema }: Target): readonly Gap[] {
  const gaps: Gap[] = [];
  collect(schema, { path: [], owner: "" }, gaps);
  return gaps;
}

/** Removes a keyword, or an entry of `required`, from a schema. */
function withGap(part: unknown, gap: Gap): unknown {
  const { entry, keyword, path: [step, ...path] } = gap;
  if (Array.isArray(part)) {
    return part.map((each, index) => `${index}` === step ? withGap(each, { ...gap, path }) : each);
  }
  if (!isObject(part)) throw new TypeError("the path leads to no schema");
  if (step !== undefined) return { ...part, [step]: withGap(part[step], { ...gap, path }) };
  const { [keyword]: removed, ...others } = part;
  if (entry === undefined || !Array.isArray(removed)) return others;
  return { ...others, [keyword]: removed.filter((name) => name !== entry) };
}

/** Returns one letter for the verdict on each message. */
function verdictsOf({ messages }: Target, schema: unknown): string {
  if (!isObject(schema)) throw new TypeError("the schema is not an object");
  const check = compileSchemaProblems(schema);
  return messages.map((message) => check(message).length === 0 ? "v" : "i").join("");
}

/** The place of a part of a schema. */
interface Place {
  readonly path: readonly string[];
  /** The text of the nearest object with members, and the path from there. */
  readonly owner: string;
}

function collect(part: unknown, { path, owner }: Place, gaps: Gap[]): void {
  if (Array.isArray(part)) {
    for (const [index, each] of part.entries()) {
      collect(each, { path: [...path, `${index}`], owner: `${owner}/${index}` }, gaps);
    }
  }
  if (!isObject(part)) return;
  // The members of `properties` are names of members, and not keywords.
  const isSchema = path.at(-1) !== "properties";
  const own = isSchema && "properties" in part ? JSON.stringify(part) : owner;
  for (const [name, value] of Object.entries(part)) {
    // Conditions do not restrict a message.
    if (isSchema && name === "if") continue;
    const definition = `${own} ${name}`;
    if (isSchema && name === "required" && Array.isArray(value)) {
      for (const entry of value) {
        if (!isImplied(path, entry)) {
          gaps.push({ path, keyword: name, entry, definition: `${definition} ${entry}` });
        }
      }
    } else if (isSchema && KEYWORDS.includes(name)) {
      if (!isRepeated(path, part, name)) gaps.push({ path, keyword: name, definition });
    } else if (name !== "required") {
      collect(value, { path: [...path, name], owner: `${own}/${name}` }, gaps);
    }
  }
}

/** The kind of a message follows from these members, so that they exist. */
function isImplied(path: readonly string[], entry: unknown): boolean {
  const isMessage = path.length === 0 || path.join() === "allOf,0";
  return isMessage && ["id", "method", "error"].includes(String(entry));
}

/** Whether another part of the schema also requires an object. */
function isRepeated(path: readonly string[], part: Schema, keyword: string): boolean {
  if (keyword !== "type" || part.type !== "object") return false;
  const isAlternative = ["allOf", "anyOf"].includes(path.at(-2) ?? "") ||
    ["then", "else"].includes(path.at(-1) ?? "");
  const hasAlternatives = ["allOf", "anyOf", "if"].some((name) => name in part);
  return path.length === 0 || isAlternative || hasAlternatives;
}

function isIn({ versions }: MessageRow, version: MessageVersion): boolean {
  const [first, last] = versions ?? ["2024-11-05", "2026-07-28"];
  return version >= first && version <= last;
}

function kindOf({ message }: MessageRow): MessageKind {
  if ("method" in message) return "id" in message ? "request" : "notification";
  return "error" in message ? "error" : "result";
}

function methodOf({ message, method }: MessageRow): string {
  return method ?? (typeof message.method === "string" ? message.method : "");
}

function messagesOf(row: MessageRow): readonly unknown[] {
  const changes = [...row.wrong, ...commonChanges(row)];
  return [row.message, ...changes.map(([path, value]) => changeMessage(row.message, path, value))];
}
