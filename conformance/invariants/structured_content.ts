/**
 * The rule on the structured results of tools.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import { compileSchema, type SchemaCheck } from "../kit/schema.ts";
import { paramsOf, type Seen } from "./dialogue.ts";

/** First version with structured results. */
const FIRST_VERSION = "2025-06-18";

/** Compares the results of tools with the output schemas that a server has listed. */
export class StructuredContentRule {
  /** Checks of output schemas, keyed by the name of the tool. */
  readonly #checks: Map<unknown, SchemaCheck> = new Map();

  /**
   * Finds a result without the structured content that the output schema of its tool describes.
   * Returns `undefined` for other messages.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema
   */
  find({ message, asked, version = "" }: Seen): readonly string[] | undefined {
    const { method, result } = message;
    if (method === "notifications/tools/list_changed") this.#checks.clear();
    if (version < FIRST_VERSION || asked === undefined || !isObject(result)) return undefined;
    if (asked.method === "tools/list") this.#learn(result.tools);
    if (asked.method !== "tools/call" || result.isError === true) return undefined;
    const { name } = paramsOf(asked.message);
    const check = this.#checks.get(name);
    // An input request or a task is not the result of the tool.
    if (check === undefined || !Array.isArray(result.content)) return undefined;
    const problem = findProblem(check, result.structuredContent);
    return problem === undefined
      ? []
      : [`the structured content of the tool ${show(name, 100)} ${problem}: ${show(result, 200)}`];
  }

  #learn(tools: unknown): void {
    for (const tool of Array.isArray(tools) ? tools : []) {
      if (!isObject(tool)) continue;
      this.#checks.delete(tool.name);
      if (isObject(tool.outputSchema)) this.#checks.set(tool.name, lazily(tool.outputSchema));
    }
  }
}

/** Compiles a schema on first use, because most tools are never called. */
function lazily(schema: object): SchemaCheck {
  let check: SchemaCheck | undefined;
  return (value) => (check ??= compileSchema(schema))(value);
}

function findProblem(check: SchemaCheck, value: unknown): string | undefined {
  try {
    const problem = check(value);
    if (problem === undefined) return undefined;
    return `${problem.path === "" ? "" : `at ${problem.path} `}${problem.message}`;
  } catch {
    // A schema that cannot be compiled is a violation of another rule.
    return undefined;
  }
}
