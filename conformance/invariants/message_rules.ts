/**
 * Applies the rules for single messages.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import { findMessageProblems } from "../message_schemas/find_message_problems.ts";
import { findToolSchemaProblems } from "../message_schemas/tool_schemas.ts";
import { type MessageVersion, readMessageVersion } from "../message_schemas/versions.ts";
import type { Dialogue, Seen } from "./dialogue.ts";
import { findIdProblems, findProgressProblems } from "./id_rules.ts";

/** Records what a rule found. */
export type RecordProblems = (rule: string, problems: readonly string[]) => void;

/** First version that states the default dialect of schemas. */
const FIRST_WITH_DIALECT = "2025-11-25";
const DRAFT_7 = "http://json-schema.org/draft-07/schema#";

/** Checks a message of the subject against all rules for single messages. */
export function checkMessage(seen: Seen, dialogue: Dialogue, record: RecordProblems): void {
  const { message, asked, from } = seen;
  record("ids", findIdProblems(seen, dialogue));
  if (message.method === "notifications/progress") record("progress", findProgressProblems(seen));
  const version = readMessageVersion(seen.version);
  if (version === undefined) return;
  record("message-schema", findSchemaProblems(seen, dialogue, version));
  if (from === dialogue.client || asked?.method !== "tools/list") return;
  const { result } = message;
  const tools: readonly unknown[] = isObject(result) && Array.isArray(result.tools)
    ? result.tools
    : [];
  for (const tool of tools) record("tool-schemas", findProblemsOfTool(tool, version));
}

/** Finds differences between a message and the schema of its version. */
function findSchemaProblems(
  { message, from, kind, asked }: Seen,
  { client }: Dialogue,
  version: MessageVersion,
): readonly string[] {
  try {
    const problems = findMessageProblems(message, {
      version,
      from: from === client ? "client" : "server",
      ...(kind === "response" && asked !== undefined ? { method: asked.method } : {}),
    });
    const method = typeof message.method === "string" ? message.method : asked?.method;
    const name = method === undefined ? kind : `${kind} of "${method}"`;
    return problems.map((problem) => `${name}, ${problem} in ${show(message, 200)}`);
  } catch (error) {
    // The validator is recursive, and JSON text can be nested more deeply than the stack.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function findProblemsOfTool(tool: unknown, version: string): readonly string[] {
  if (!isObject(tool)) return [];
  return ["inputSchema", "outputSchema"].flatMap((member) => {
    const schema = tool[member];
    if (!isObject(schema)) return [];
    const problems = findToolSchemaProblems(schema);
    if (problems.length === 0 || mayBeDraft7(schema, version)) return [];
    return problems.map((problem) => `${member} of the tool ${show(tool.name, 100)}, ${problem}`);
  });
}

/** Earlier versions do not say which dialect a schema without `$schema` has. */
function mayBeDraft7(schema: Readonly<Record<string, unknown>>, version: string): boolean {
  if (version >= FIRST_WITH_DIALECT || schema.$schema !== undefined) return false;
  return findToolSchemaProblems({ ...schema, $schema: DRAFT_7 }).length === 0;
}
