import { assert } from "@std/assert";
import { isJsonObject, type JsonObject } from "../shared/json.ts";

/** An answer as tests look into it: what is looked at has to be there. */
export class Answer {
  readonly #response: object;

  constructor(response: object) {
    this.#response = response;
  }

  /** Whether it is an error. */
  get isError(): boolean {
    return "error" in this.#response;
  }

  /** The code of the error; undefined when there is a result. */
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

/** What has to be an object. */
export function objectOf(value: unknown): JsonObject {
  assert(isJsonObject(value), `${JSON.stringify(value)} is not an object`);
  return value;
}

/** What has to be a list of objects. */
export function listOf(value: unknown): readonly JsonObject[] {
  assert(Array.isArray(value), `${JSON.stringify(value)} is not an array`);
  return value.map(objectOf);
}
