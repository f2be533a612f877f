/**
 * Schemas and file parts in the arguments of `runtime` operations.
 *
 * @module
 */

import {
  type JsonSchema,
  jsonSchema,
  jsonSchemaValidator,
  type JsonSchemaValidatorOptions,
  type Schema,
  type StandardSchema,
} from "@parley/runtime";
import { bytesOf, type Fields, isFields, type Operation, textOf } from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const DATA_OPS: Readonly<Record<string, Operation>> = {
  "runtime.schema.check": async ({ args }) => {
    const { limits = {}, schemaText, schema } = args;
    // The library validates the limits and the schema.
    const validator = jsonSchemaValidator(limits as JsonSchemaValidatorOptions);
    const check = validator.compile(
      (typeof schemaText === "string" ? JSON.parse(schemaText) : schema) as JsonSchema,
    );
    const value = "valueText" in args ? JSON.parse(textOf(args, "valueText")) : args.value;
    const issues = await check(value);
    return { accepted: issues.length === 0, issues };
  },
};

/**
 * Creates the schema of a tool or a final answer. With `results`, the schema is a Standard Schema
 * whose validation returns one result per call; the last result is used for all further calls.
 */
export function toSchema(json: unknown, results: unknown): Schema {
  // The library validates the JSON Schema.
  const schema = jsonSchema(json as JsonSchema);
  if (!Array.isArray(results)) return schema;
  let calls = 0;
  const convert = (): Record<string, unknown> => ({ ...schema });
  const standard: StandardSchema = {
    "~standard": {
      version: 1,
      vendor: "kit",
      validate: () => {
        const result: unknown = results[Math.min(calls++, results.length - 1)];
        const { isAsync, throws, ...members } = isFields(result) ? result : {};
        // The result is passed on without validation, because cases test results that are not
        // valid.
        const validated = members as { readonly value: unknown };
        if (isAsync === "never") return new Promise(() => {});
        if (throws === undefined) return isAsync === true ? Promise.resolve(validated) : validated;
        const error = new Error(String(throws));
        if (isAsync === true) return Promise.reject(error);
        throw error;
      },
      jsonSchema: { input: convert, output: convert },
    },
  };
  return standard;
}

/** Replaces the data of file parts: {`url`} with a URL, and {`dataHex`} with bytes. */
export function reviveFiles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reviveFiles);
  if (!isFields(value)) return value;
  const { data } = value;
  if (value.type === "file" && isFields(data)) return { ...value, data: reviveData(data) };
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, reviveFiles(each)]));
}

function reviveData(data: Fields): Fields {
  if (data.type === "url" && typeof data.url === "string" && URL.canParse(data.url)) {
    return { ...data, url: new URL(data.url) };
  }
  return data.dataHex === undefined ? data : { type: data.type, data: bytesOf(data, "dataHex") };
}
