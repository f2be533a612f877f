/**
 * The handler for forms that a server requests (elicitation).
 *
 * @module
 */

import type { ElicitForm, ElicitResult } from "../protocol/input_request.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";

/** JSON Schema of a form that a server requests. */
export interface ElicitFormSchema extends JsonObject {
  /**
   * JSON Schemas of the fields, keyed by field name. Each field is a string, a number, a boolean or
   * an enumeration.
   */
  readonly properties: Readonly<Record<string, JsonObject>>;
}

/** Form that a server requests, as passed to an {@linkcode ElicitHandler}. */
export interface ReceivedElicitForm extends ElicitForm {
  /** JSON Schema of the form. Fields whose schema is not an object are omitted. */
  readonly requestedSchema: ElicitFormSchema;
}

/**
 * Requests input from the user with a form.
 *
 * @param params Message and schema of the form.
 * @param signal Signal that is aborted if the request is cancelled or times out.
 *
 * @example Ask for each field on the terminal
 * ```ts
 * import type { ElicitHandler } from "@parley/mcp/client";
 * import { assertEquals } from "@std/assert";
 *
 * const ask = (question: string) => `answer to ${question}`;
 * const elicit: ElicitHandler = ({ message, requestedSchema }) => {
 *   const fields = Object.entries(requestedSchema.properties);
 *   const content = Object.fromEntries(
 *     fields.map(([name, { title = name }]) => [name, ask(`${message} ${title}`)]),
 *   );
 *   return { action: "accept", content };
 * };
 *
 * const requestedSchema = { type: "object", properties: { city: { type: "string" } } };
 * const result = await elicit({ message: "Where?", requestedSchema }, AbortSignal.timeout(1000));
 * assertEquals(result, { action: "accept", content: { city: "answer to Where? city" } });
 * ```
 */
export type ElicitHandler = (
  params: ReceivedElicitForm,
  signal: AbortSignal,
) => Promise<ElicitResult> | ElicitResult;

/** Returns the form without invalid fields, which are fields whose schema is not an object. */
export function readForm(form: ElicitForm): ReceivedElicitForm {
  const { properties } = form.requestedSchema;
  const fields = Object.entries(isRecord(properties) ? properties : {})
    .flatMap(([name, field]): [string, JsonObject][] => isRecord(field) ? [[name, field]] : []);
  const requestedSchema = { ...form.requestedSchema, properties: Object.fromEntries(fields) };
  return { ...form, requestedSchema };
}
