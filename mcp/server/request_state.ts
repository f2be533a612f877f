/**
 * Encrypted request state for multi round-trip requests. The client stores the state between two
 * round trips. Encryption prevents clients from reading or changing the state, from using it for a
 * different request or principal, and from using it after it expires.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr Multi round-trip requests}
 * @module
 */

import { askClock } from "@parley/internal/ask-clock";
import { assertCount, assertFunction } from "@parley/internal/assert-argument";
import {
  type OptionsReader,
  optionsReader,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { sortMembers } from "../shared/sort_members.ts";
import { toJsonValue } from "../shared/to_json_value.ts";
import { decodeBase64, encodeBase64 } from "@parley/internal/base64";
import { invalidParams } from "./params.ts";

/** State that is preserved between the round trips of a request. */
export interface RequestState {
  /** Input responses from earlier round trips, keyed by input request key. */
  readonly inputResponses: JsonObject;
  /** Value passed to `saveState` by the handler. */
  readonly savedState?: unknown;
}

/**
 * Request properties that an encrypted state is bound to. Decryption fails if a property of the
 * request differs from its value at encryption.
 */
export interface StateBinding {
  /** Request method. */
  readonly method: string;
  /** Request parameters. */
  readonly params: JsonObject;
  /** Subject of the principal, if the request is authenticated. */
  readonly subject: string | undefined;
}

/** Options for request state encryption. */
export interface RequestStateOptions {
  /**
   * Secret AES-256 keys, each 32 bytes long, at least one and at most 8. The first key is used for
   * encryption, and all keys are used for decryption. All servers that can receive the repeated
   * request must have the same keys. To replace a key, first add the new key to the end of the list
   * on all servers, then move it to the front, and remove the old key after `ttlMs`. If omitted,
   * each server object uses a random key.
   */
  readonly keys?: readonly Uint8Array[];
  /**
   * Lifetime of an encrypted state, in milliseconds.
   *
   * @default {600_000}
   */
  readonly ttlMs?: number;
  /**
   * Returns the current time, in milliseconds since the Unix epoch. While the result is not a
   * finite number, requests that need request state fail. If omitted, `Date.now` is used.
   */
  readonly now?: () => number;
}

const KEY_BYTES = 32;
/** Maximum number of keys, because decryption tries all keys. */
const MAX_KEYS = 8;
const NONCE_BYTES = 12;

/** Options for request state encryption after reading. */
export type RequestStateSettings = Settings<RequestStateOptions, "ttlMs" | "now">;

/** Reads the options for request state encryption. */
export const readRequestState: OptionsReader<RequestStateOptions, "ttlMs" | "now"> = optionsReader<
  RequestStateOptions
>("requestState")({
  keys: assertKeys,
  ttlMs: withDefault(600_000, assertCount),
  now: withDefault(() => Date.now(), assertFunction),
});

function assertKeys(name: string, keys: unknown): void {
  // Invalid values are not quoted in the errors, because they may be secrets.
  if (!Array.isArray(keys)) throw new TypeError(`"${name}" must be an array, got a ${typeof keys}`);
  if (keys.length === 0 || keys.length > MAX_KEYS) {
    throw new RangeError(`"${name}" must contain 1 to ${MAX_KEYS} keys, got ${keys.length}`);
  }
  for (const [index, key] of keys.entries()) {
    if (!(key instanceof Uint8Array)) {
      throw new TypeError(`"${name}[${index}]" must be a Uint8Array, got a ${typeof key}`);
    }
    if (key.length === KEY_BYTES) continue;
    throw new RangeError(`"${name}[${index}]" must be 32 bytes long, got ${key.length}`);
  }
}

function toSaved(value: unknown): JsonValue {
  try {
    return toJsonValue(value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(
      `Cannot save state: the value passed to saveState() must be JSON: ${reason}`,
      { cause },
    );
  }
}

/** Encrypts and decrypts request state with AES-256-GCM. */
export class RequestStateSeal {
  readonly #ttlMs: number;
  readonly #now: () => number;
  readonly #keys: readonly Uint8Array[] | undefined;
  #imported: Promise<readonly [CryptoKey, ...CryptoKey[]]> | undefined;

  /**
   * Creates an object that encrypts with the first key and decrypts with all keys. Keys are
   * imported on first use.
   */
  constructor({ keys, ttlMs, now }: RequestStateSettings) {
    this.#keys = keys?.map((key) => key.slice());
    this.#ttlMs = ttlMs;
    this.#now = now;
  }

  /** Encrypts a state. */
  async seal(state: RequestState, binding: StateBinding): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const { savedState, ...rest } = state;
    const saved = savedState === undefined ? {} : { savedState: toSaved(savedState) };
    const text = JSON.stringify({ ...rest, ...saved, expires: askClock(this.#now) + this.#ttlMs });
    const algorithm = { name: "AES-GCM", iv, additionalData: encodeBinding(binding) };
    const [key] = await this.#load();
    const sealed = await crypto.subtle.encrypt(algorithm, key, encode(text));
    return encodeBase64(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
  }

  /**
   * Decrypts a state.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the state is expired,
   * invalid, or bound to a different request or principal.
   */
  async open(text: string, binding: StateBinding): Promise<RequestState> {
    const value = await this.#decrypt(text, binding).catch(() => undefined);
    if (
      !isRecord(value) || !isRecord(value.inputResponses) || !this.#isFresh(value.expires)
    ) {
      throw invalidParams(
        'Invalid params: "requestState" is invalid or expired, or was created by a server process with different ' +
          '"requestState.keys"',
      );
    }
    return { inputResponses: value.inputResponses, savedState: value.savedState };
  }

  /**
   * Restores the request state and adds the request's input responses to it.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if `requestState` or
   * `inputResponses` is invalid.
   */
  async resume(binding: StateBinding): Promise<RequestState> {
    const { requestState, inputResponses } = binding.params;
    if (requestState !== undefined && typeof requestState !== "string") {
      throw invalidParams('Invalid params: "requestState" must be a string');
    }
    if (inputResponses !== undefined && !isRecord(inputResponses)) {
      throw invalidParams('Invalid params: "inputResponses" must be an object');
    }
    const earlier = requestState === undefined
      ? { inputResponses: {} }
      : await this.open(requestState, binding);
    return { ...earlier, inputResponses: { ...earlier.inputResponses, ...inputResponses } };
  }

  #isFresh(expires: unknown): boolean {
    return typeof expires === "number" && askClock(this.#now) < expires;
  }

  async #decrypt(text: string, binding: StateBinding): Promise<unknown> {
    const bytes = decodeBase64(text);
    const iv = bytes.subarray(0, NONCE_BYTES);
    const algorithm = { name: "AES-GCM", iv, additionalData: encodeBinding(binding) };
    const sealed = bytes.subarray(NONCE_BYTES);
    const attempts = (await this.#load()).map((key) =>
      crypto.subtle.decrypt(algorithm, key, sealed)
    );
    return JSON.parse(new TextDecoder().decode(await Promise.any(attempts)));
  }

  #load(): Promise<readonly [CryptoKey, ...CryptoKey[]]> {
    return this.#imported ??= importKeys(
      this.#keys ?? [crypto.getRandomValues(new Uint8Array(KEY_BYTES))],
    );
  }
}

async function importKeys(
  [first = new Uint8Array(), ...others]: readonly Uint8Array[],
): Promise<readonly [CryptoKey, ...CryptoKey[]]> {
  return [await importKey(first), ...await Promise.all(others.map(importKey))];
}

function importKey(bytes: Uint8Array): Promise<CryptoKey> {
  const raw = new Uint8Array(bytes);
  return crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/**
 * Encodes the request properties that a state is bound to. Object members are sorted, because
 * clients may reorder them when they repeat a request.
 */
function encodeBinding({ method, params, subject }: StateBinding): Uint8Array<ArrayBuffer> {
  const { _meta, inputResponses: _responses, requestState: _state, ...own } = params;
  return encode(JSON.stringify([method, subject, sortMembers(own)]));
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
