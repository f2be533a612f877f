/**
 * The official MCP schemas that the official conformance suite contains. The suite is a bundle of
 * one file, in which the schemas are object literals.
 *
 * @module
 */

import suite from "@modelcontextprotocol/conformance/dist/index.js" with { type: "text" };
import type { MessageVersion } from "../../conformance/message_schemas/versions.ts";
import { type OfficialSchema, readOfficialSchema } from "./official_schema.ts";

/** Definitions by which the schema of a version differs from the schemas of earlier versions. */
const FIRST_DEFINITIONS: readonly (readonly [name: string, version: MessageVersion])[] = [
  ["DiscoverRequest", "2026-07-28"],
  ["Task", "2025-11-25"],
  ["ElicitRequest", "2025-06-18"],
  ["AudioContent", "2025-03-26"],
];

/** Reads the schemas of all versions that the suite contains. */
export function readBundledSchemas(): ReadonlyMap<MessageVersion, OfficialSchema> {
  const schemas = new Map<MessageVersion, OfficialSchema>();
  for (const { index } of suite.matchAll(/\{\$schema:`[^`]+`,(?:\$defs|definitions):\{/g)) {
    const official = readOfficialSchema(evaluate(literalAt(suite, index)));
    const found = FIRST_DEFINITIONS.find(([name]) => official.definitions.has(name));
    if (found === undefined) throw new Error("the suite contains the schema of an unknown version");
    schemas.set(found[1], official);
  }
  return schemas;
}

/** Returns the source of the object literal that begins at an index. */
function literalAt(source: string, start: number): string {
  const tokens = /\\.|["'`]|[{}]/gs;
  tokens.lastIndex = start;
  let depth = 0;
  let quote = "";
  for (let token = tokens.exec(source); token !== null; token = tokens.exec(source)) {
    const [text] = token;
    if (quote !== "") quote = text === quote ? "" : quote;
    else if (/["'`]/.test(text)) quote = text;
    else if (text === "{") depth++;
    else if (text === "}") depth--;
    if (depth === 0 && quote === "") return source.slice(start, tokens.lastIndex);
  }
  throw new Error("the object literal has no end");
}

/** Evaluates a literal of the suite, whose code this folder runs anyway. */
function evaluate(literal: string): unknown {
  return new Function(`return ${literal}`)();
}
