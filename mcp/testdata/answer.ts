import { assert } from "@std/assert";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";

/** A JSON-RPC response for test assertions. Reading a missing member fails the test. */
export class Answer {
  readonly #response: object;

  constructor(response: object) {
    this.#response = response;
  }

  /** Whether the response is an error. */
  get isError(): boolean {
    return "error" in this.#response;
  }

  /** The error code, or `undefined` if there is a result. */
  get code(): unknown {
    return this.isError ? this.error.code : undefined;
  }

  /** The result. */
  get result(): JsonObject {
    return objectOf(Reflect.get(this.#response, "result"));
  }

  /** The error. */
  get error(): JsonObject {
    return objectOf(Reflect.get(this.#response, "error"));
  }
}

/** Returns the value, which must be an object. */
export function objectOf(value: unknown): JsonObject {
  assert(isRecord(value), `${JSON.stringify(value)} is not an object`);
  return value;
}

/** Returns the value, which must be an array of objects. */
export function listOf(value: unknown): readonly JsonObject[] {
  assert(Array.isArray(value), `${JSON.stringify(value)} is not an array`);
  return value.map(objectOf);
}
