/**
 * Rules on the schemas of messages, and on the schemas of tools.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import { MessageChecker } from "../message_schemas/message_checker.ts";
import type { MessageVersion } from "../message_schemas/versions.ts";
import type { Dialogue, Seen, WireObject } from "./dialogue.ts";

/** First version that states the default dialect of schemas. */
const FIRST_WITH_DIALECT = "2025-11-25";
const DRAFT_7 = "http://json-schema.org/draft-07/schema#";

/** Compares messages with their schemas. */
export class SchemaRules {
  readonly #checker: MessageChecker = new MessageChecker();

  /** Finds differences between a message and the schema of its version. */
  findProblems(
    { message, from, kind, asked }: Seen,
    { client }: Dialogue,
    version: MessageVersion,
  ): readonly string[] {
    const problems = this.#checker.findProblems(message, {
      version,
      from: from === client ? "client" : "server",
      ...(kind === "response" && asked !== undefined ? { method: asked.method } : {}),
    });
    const method = typeof message.method === "string" ? message.method : asked?.method;
    const name = method === undefined ? kind : `${kind} of "${method}"`;
    return problems.map((problem) => `${name}, ${problem} in ${show(message, 200)}`);
  }

  /** Finds invalid schemas in a list of tools. Returns the problems of each tool. */
  checkTools({ message: { result } }: Seen, version: string): readonly (readonly string[])[] {
    const tools: readonly unknown[] = isObject(result) && Array.isArray(result.tools)
      ? result.tools
      : [];
    return tools.map((tool) => isObject(tool) ? this.#findProblemsOfTool(tool, version) : []);
  }

  #findProblemsOfTool(tool: WireObject, version: string): readonly string[] {
    return ["inputSchema", "outputSchema"].flatMap((member) => {
      const schema = tool[member];
      if (!isObject(schema)) return [];
      const problems = this.#checker.findSchemaProblems(schema);
      if (problems.length === 0 || this.#mayBeDraft7(schema, version)) return [];
      return problems.map((problem) => `${member} of the tool ${show(tool.name, 100)}, ${problem}`);
    });
  }

  /** Earlier versions do not define the dialect of a schema without `$schema`. */
  #mayBeDraft7(schema: WireObject, version: string): boolean {
    if (version >= FIRST_WITH_DIALECT || schema.$schema !== undefined) return false;
    return this.#checker.findSchemaProblems({ ...schema, $schema: DRAFT_7 }).length === 0;
  }
}
