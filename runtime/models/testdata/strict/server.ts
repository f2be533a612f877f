/**
 * Servers that reject every request that the documentation of their API does not permit.
 *
 * @module
 */

import type { Fetch } from "../../endpoint.ts";
import { mustBeWellFormed, Refusal, type Wire } from "./checks.ts";
import type { Answer } from "./random.ts";

/** A strict server of an API. */
export interface StrictApi {
  /**
   * Rejects a request.
   *
   * @throws {Refusal} If the API does not permit the request.
   */
  check(body: Wire): void;
  /** Returns the body of the response for an answer. */
  answer(answer: Answer): object;
}

/** Returns the signature or the encrypted content of a server, unique for each call. */
export class Signatures {
  readonly #known = new Set<string>();
  readonly #name: string;

  /** Creates signatures that contain a name. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Creates a signature. */
  create(): string {
    const signature = btoa(`${this.#name}-${this.#known.size}`);
    this.#known.add(signature);
    return signature;
  }

  /** Returns true for a signature that this server has created. */
  has(signature: unknown): boolean {
    return typeof signature === "string" && this.#known.has(signature);
  }
}

/** Returns a `fetch` function that calls a server, and answers with what `next` returns. */
export function fetchFrom(api: StrictApi, next: () => Answer): Fetch {
  return (_, { body }) => {
    const text = String(body);
    try {
      mustBeWellFormed(text);
      api.check(JSON.parse(text));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return Promise.resolve(Response.json({ error: { message: error.message } }, { status: 400 }));
    }
    return Promise.resolve(Response.json(api.answer(next())));
  };
}
