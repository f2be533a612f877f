/**
 * The default JSON Schema validator: an interpreter of draft 2020-12 and draft-07, without `eval`.
 *
 * @module
 */

import { Validator } from "@cfworker/json-schema";
import type { SchemaValidator } from "../shared/schema.ts";

/** Keywords whose issue only says that something below them is wrong. */
const CONTAINERS: ReadonlySet<string> = new Set(["properties", "items", "prefixItems", "$ref"]);

/** Validates by interpreting the schema. */
export const jsonSchemaValidator: SchemaValidator = {
  compile(schema) {
    const draft = String(schema.$schema ?? "").includes("draft-07") ? "7" : "2020-12";
    // A copy, because the library writes into the schemas it resolves.
    const validator = new Validator(structuredClone(schema), draft, false);
    return (value) =>
      validator.validate(value).errors
        .filter(({ keyword }) => !CONTAINERS.has(keyword))
        .map(({ instanceLocation, error }) => ({
          path: instanceLocation.replace(/^#/, ""),
          message: error,
        }));
  },
};
