/**
 * Errors from the JSON parser and serializer.
 *
 * @module
 */

import { CommError, type JsonTextPosition } from "./error.ts";
import { quote } from "@parley/internal/format-value";

/** Creates an error with code `serialization_failed`. */
export function serializationFailed(
  path: string,
  reason: string,
): CommError {
  const message = `Cannot serialize value at ${quote(path)}: ${reason}`;
  return new CommError({ code: "serialization_failed", details: { path, reason }, message });
}

/** Creates an error with code `deserialization_failed`. */
export function deserializationFailed(
  reason: string,
  offset: number,
): CommError {
  const message = `Cannot parse JSON at offset ${offset}: ${reason}`;
  return new CommError({ code: "deserialization_failed", details: { reason, offset }, message });
}

/** Creates an error with code `duplicate_member`. */
export function duplicateMember(position: JsonTextPosition): CommError {
  const { path, offset } = position;
  const message = `Cannot parse JSON at offset ${offset}: duplicate member ${quote(path)}`;
  return new CommError({ code: "duplicate_member", details: position, message });
}

/** Creates an error with code `unsafe_integer`. */
export function unsafeInteger(position: JsonTextPosition): CommError {
  const { path, offset } = position;
  const message = `Cannot parse JSON at offset ${offset}: integer ${
    quote(path)
  } is not exactly representable as a double`;
  return new CommError({ code: "unsafe_integer", details: position, message });
}

/** Creates an error with code `number_out_of_range`. */
export function numberOutOfRange(position: JsonTextPosition): CommError {
  const { path, offset } = position;
  const message = `Cannot parse JSON at offset ${offset}: number ${quote(path)} is out of range`;
  return new CommError({ code: "number_out_of_range", details: position, message });
}

/** Creates an error with code `invalid_unicode`. */
export function invalidUnicode(path: string, offset?: number): CommError {
  const message = `Cannot accept string at ${quote(path)}: not well-formed Unicode`;
  return new CommError({ code: "invalid_unicode", details: at({ path }, offset), message });
}

/** Creates an error with code `too_deep`. */
export function tooDeep(limit: number, offset?: number): CommError {
  const message = `Cannot accept JSON: nesting is deeper than ${limit} levels`;
  return new CommError({ code: "too_deep", details: at({ limit }, offset), message });
}

function at<T extends object>(details: T, offset: number | undefined): T & { offset?: number } {
  return offset === undefined ? details : { ...details, offset };
}
