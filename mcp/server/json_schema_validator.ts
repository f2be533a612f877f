/**
 * The default validator of JSON Schema: `@cfworker/json-schema`.
 *
 * @module
 */

import { Validator } from "@cfworker/json-schema";
import type { JsonObject } from "../shared/json.ts";
import type { SchemaValidator } from "./schema_check.ts";

/**
 * Checks values by JSON Schema 2020-12, 2019-09, draft-07 or draft-04, as `$schema` says. References to other documents
 * are never fetched.
 */
export const validateJsonSchema: SchemaValidator = function (schema) {
  const validator = new Validator(schema, draftOf(schema));
  return (value) => {
    const { valid, errors } = validator.validate(value);
    if (valid) return undefined;
    // The last error is the most specific one; the others are the way to it.
    const { instanceLocation, error } = errors.at(-1) ?? { instanceLocation: "#", error: "" };
    return `${instanceLocation.replace(/^#\/?/, "") || "value"}: ${error}`;
  };
};

function draftOf({ $schema }: JsonObject): "2020-12" | "2019-09" | "7" | "4" {
  const name = typeof $schema === "string" ? $schema : "";
  if (name.includes("draft-07")) return "7";
  if (name.includes("draft-04")) return "4";
  return name.includes("2019-09") ? "2019-09" : "2020-12";
}
