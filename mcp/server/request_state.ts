/**
 * Request state: what a server wants to know again when a client repeats a request with the answers. The client keeps
 * it, so it is sealed: nobody else can read, change or use it for another request, another user or later.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr Multi round-trip requests}
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { invalidParams } from "./params.ts";

/** What is carried from one round to the next. */
export interface RequestState {
  /** The answers that were given in earlier rounds, by key. */
  readonly inputResponses: JsonObject;
  /** What the handler wants to keep. */
  readonly savedState?: unknown;
}

/** What a sealed state is good for: its own request, by its own user. */
export interface StateBinding {
  /** The method of the request. */
  readonly method: string;
  /** Its parameters. */
  readonly params: JsonObject;
  /** The user. */
  readonly subject: string | undefined;
}

/** How states are sealed. */
export interface RequestStateOptions {
  /** 32 secret bytes, shared by all servers that may get the repeated request. Default: random, for this object only. */
  readonly key?: Uint8Array;
  /** How long a state is good, in milliseconds. Default 10 minutes. */
  readonly ttlMs?: number;
  /** The time, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;

/** Seals and opens request states with AES-256-GCM. */
export class RequestStateSeal {
  readonly #ttlMs: number;
  readonly #now: () => number;
  readonly #bytes: Uint8Array | undefined;
  #key: Promise<CryptoKey> | undefined;

  /** Takes the key; nothing is computed before the first use. */
  constructor(options: RequestStateOptions = {}) {
    const { key, ttlMs = 600_000, now = Date.now } = options;
    this.#bytes = key?.slice();
    this.#ttlMs = ttlMs;
    this.#now = now;
  }

  /** Seals a state. */
  async seal(state: RequestState, binding: StateBinding): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const text = JSON.stringify({ ...state, expires: this.#now() + this.#ttlMs });
    const algorithm = { name: "AES-GCM", iv, additionalData: encodeBinding(binding) };
    const sealed = await crypto.subtle.encrypt(algorithm, await this.#load(), encode(text));
    return toBase64(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
  }

  /**
   * Opens a state.
   *
   * @throws {McpError} `protocol_error` (-32602) when it was not sealed by this key for this request and user, or is
   * too old
   */
  async open(text: string, binding: StateBinding): Promise<RequestState> {
    const value = await this.#decrypt(text, binding).catch(() => undefined);
    if (
      !isJsonObject(value) || !isJsonObject(value.inputResponses) || !this.#isFresh(value.expires)
    ) {
      throw invalidParams('Invalid params: "requestState" is invalid or expired');
    }
    return { inputResponses: value.inputResponses, savedState: value.savedState };
  }

  /**
   * Puts together the answers of earlier rounds, which are sealed, and those of this one.
   *
   * @throws {McpError} `protocol_error` (-32602) when the request carries something else
   */
  async resume(binding: StateBinding): Promise<RequestState> {
    const { requestState, inputResponses } = binding.params;
    if (requestState !== undefined && typeof requestState !== "string") {
      throw invalidParams('Invalid params: "requestState" must be a string');
    }
    if (inputResponses !== undefined && !isJsonObject(inputResponses)) {
      throw invalidParams('Invalid params: "inputResponses" must be an object');
    }
    const earlier = requestState === undefined
      ? { inputResponses: {} }
      : await this.open(requestState, binding);
    return { ...earlier, inputResponses: { ...earlier.inputResponses, ...inputResponses } };
  }

  #isFresh(expires: unknown): boolean {
    return typeof expires === "number" && this.#now() < expires;
  }

  async #decrypt(text: string, binding: StateBinding): Promise<unknown> {
    const bytes = fromBase64(text);
    const iv = bytes.subarray(0, NONCE_BYTES);
    const algorithm = { name: "AES-GCM", iv, additionalData: encodeBinding(binding) };
    const sealed = bytes.subarray(NONCE_BYTES);
    const opened = await crypto.subtle.decrypt(algorithm, await this.#load(), sealed);
    return JSON.parse(new TextDecoder().decode(opened));
  }

  #load(): Promise<CryptoKey> {
    const bytes = this.#bytes ?? crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    const raw = new Uint8Array(bytes);
    return this.#key ??= crypto.subtle.importKey("raw", raw, "AES-GCM", false, [
      "encrypt",
      "decrypt",
    ]);
  }
}

/** The same bytes for the same request, whatever order the client writes its members in. */
function encodeBinding({ method, params, subject }: StateBinding): Uint8Array<ArrayBuffer> {
  const { _meta, inputResponses: _responses, requestState: _state, ...own } = params;
  return encode(JSON.stringify([method, subject ?? null, sorted(own)]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => a < b ? -1 : 1));
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
