/**
 * Converts tool definitions to definitions that model APIs accept, and the calls of the model back.
 *
 * @module
 */

import { isJsonValue, type JsonObject } from "../shared/json.ts";
import type { ToolDefinition } from "../shared/model.ts";
import { toWireName } from "./tool_names.ts";
import { restoreNames, toWireSchema, type WireSchema } from "./wire_schema.ts";

/** A tool definition that model APIs accept. */
export interface WireTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly inputSchema: JsonObject;
  /** Fields of the provider to add to the definition. */
  readonly options: JsonObject;
}

/** Maximum length of a schema that is added to the description of a tool, in UTF-16 code units. */
const MAX_NOTE_LENGTH = 2000;

/**
 * Returns a function that converts tool definitions. The definitions of an array are converted
 * once, because all requests of a run contain the same array.
 *
 * @param provider Key in `providerOptions` for the fields to add.
 * @param accepted Tool names that the API accepts. If omitted, those of {@linkcode toWireName}.
 */
export function createToolConverter(
  provider: string,
  accepted?: RegExp,
): (tools: readonly ToolDefinition[]) => WireTools {
  const known = new WeakMap<readonly ToolDefinition[], WireTools>();
  return (tools) => {
    const converted = known.get(tools) ?? new WireTools(tools, provider, accepted);
    known.set(tools, converted);
    return converted;
  };
}

/** The tools of a request in the form in which they are sent. */
export class WireTools {
  /** Definitions to send. */
  readonly definitions: readonly WireTool[];
  /** A warning for each tool that is not sent, because no API would accept its schema. */
  readonly warnings: readonly string[];
  /** Original tool names, keyed by the names that are sent. */
  readonly #names = new Map<string, string>();
  /** Schemas that are sent, keyed by original tool name. */
  readonly #schemas = new Map<string, WireSchema>();

  /**
   * Converts tool definitions.
   *
   * @param tools The tools of a request.
   * @param provider Key in `providerOptions` for the fields to add.
   * @param accepted Tool names that the API accepts. If omitted, those of {@linkcode toWireName}.
   */
  constructor(tools: readonly ToolDefinition[], provider: string, accepted?: RegExp) {
    const definitions: WireTool[] = [];
    const warnings: string[] = [];
    for (const { name, description, inputSchema, providerOptions = {} } of tools) {
      const schema = isJsonValue(inputSchema) ? toWireSchema(inputSchema) : undefined;
      if (schema === undefined) {
        warnings.push(`tool ${JSON.stringify(name)} not sent: its input schema accepts no object`);
        continue;
      }
      const wireName = toWireName(name, accepted);
      this.#names.set(wireName, name);
      this.#schemas.set(name, schema);
      definitions.push({
        name: wireName,
        description: describe(description, schema),
        inputSchema: schema.schema,
        options: providerOptions[provider] ?? {},
      });
    }
    this.definitions = definitions;
    this.warnings = warnings;
  }

  /** Returns the name of the tool that a model calls. A name that was not sent is unchanged. */
  nameOf(wireName: string): string {
    return this.#names.get(wireName) ?? wireName;
  }

  /** Returns the input of a call with the property names of the tool. */
  inputOf(name: string, input: unknown): unknown {
    const schema = this.#schemas.get(name);
    return schema === undefined ? input : restoreNames(input, schema.propertyNames);
  }
}

function describe(
  description: string | undefined,
  { omitted, isCut }: WireSchema,
): string | undefined {
  const notes = [
    ...omitted === undefined ? [] : [describeOmitted(JSON.stringify(omitted))],
    ...isCut ? ["The input may have further properties, which this schema does not list."] : [],
  ];
  if (notes.length === 0) return description;
  return [...description === undefined ? [] : [description], ...notes].join("\n\n");
}

function describeOmitted(schema: string): string {
  return schema.length <= MAX_NOTE_LENGTH
    ? `The input must also match this JSON Schema: ${schema}`
    : "The input must match further conditions, which are checked when the tool is called.";
}
