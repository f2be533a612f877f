/**
 * Creates the input schema of an operation.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { JsonObject } from "../shared/json.ts";
import type { OpenApiDocument } from "./document.ts";
import type { Parameter } from "./parameters.ts";
import type { RequestBody } from "./request_body.ts";
import { SchemaConverter, schemaTooLong, toDescription } from "./schema_converter.ts";

/** The inputs of an operation. */
export interface Inputs {
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
}

/**
 * Creates the input schema: an object with one member for each parameter, and `body` for the
 * request body.
 *
 * @param maxChars Maximum size of the schema as JSON text, in characters.
 * @throws {UnsupportedOperation} If a schema cannot be converted or is too large.
 */
export function createInputSchema(
  document: OpenApiDocument,
  { parameters, body }: Inputs,
  maxChars: number,
): JsonObject {
  const converter = new SchemaConverter(document, maxChars);
  const inputs = [...parameters, ...(body === undefined ? [] : [{ ...body, input: "body" }])];
  const properties = inputs.map(({ input, schema, description }) =>
    [input, describe(converter.convert(schema), toDescription(description))] as const
  );
  const required = inputs.filter(({ isRequired }) => isRequired).map(({ input }) => input);
  const { definitions } = converter;
  const schema = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
  if (JSON.stringify(schema).length > maxChars) throw schemaTooLong(maxChars);
  return schema;
}

/** Adds the description of the parameter to a schema without one. */
function describe(schema: unknown, description: string | undefined): unknown {
  // `false` accepts no value.
  if (schema === false) return schema;
  const keywords = isRecord(schema) ? schema : {};
  if (description === undefined || keywords.description !== undefined) return keywords;
  return { ...keywords, description };
}
