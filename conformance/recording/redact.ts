/**
 * Removes secrets from recordings. Equal secrets are replaced with equal placeholders, to keep references recognizable.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { sha256Hex } from "../platform/crypto.ts";
import type { RecordedEvent } from "./format.ts";

/** HTTP headers that contain no secrets. The values of all other headers are removed. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "allow",
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "date",
  "host",
  "keep-alive",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "origin",
  "transfer-encoding",
  "user-agent",
  "vary",
]);

/** Members whose string values are secrets. */
const SECRET_MEMBERS =
  /^(authorization|cookie|password|secret|api[-_]?key|(access|refresh|id)_?token|client_secret|code_verifier|code)$/i;

/** Minimum length of a secret to remove, in characters. */
const MIN_SECRET = 8;

/** Removes secrets from events. */
export class Redactor {
  readonly #literals: readonly string[];
  readonly #patterns: readonly RegExp[];
  #count = 0;

  /**
   * Creates a redactor.
   *
   * @param secrets Strings to remove, such as values of environment variables. Strings that are shorter than the
   * minimum length are not removed.
   * @param patterns Additional patterns whose matches are removed.
   */
  constructor(secrets: readonly string[], patterns: readonly RegExp[]) {
    this.#literals = secrets.filter((text) => text.length >= MIN_SECRET);
    this.#patterns = patterns;
  }

  /** Number of removed secrets. */
  get count(): number {
    return this.#count;
  }

  /** Returns the event without secrets. */
  clean(event: RecordedEvent): RecordedEvent {
    const { msg, raw, stderr, http } = event;
    return {
      ...event,
      ...(msg === undefined ? {} : { msg: this.#value(msg) }),
      ...(raw === undefined ? {} : { raw: this.text(raw) }),
      ...(stderr === undefined ? {} : { stderr: this.text(stderr) }),
      ...(http === undefined ? {} : { http: { ...http, headers: this.#headers(http.headers) } }),
    };
  }

  /** Returns the string without secrets. */
  text(text: string): string {
    const plain = this.#literals.reduce(
      (left, secret) => left.includes(secret) ? left.replaceAll(secret, this.#hide(secret)) : left,
      text,
    );
    return this.#patterns.reduce(
      (left, pattern) => left.replace(pattern, (secret) => this.#hide(secret)),
      plain,
    );
  }

  #value(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        SECRET_MEMBERS.test(name) && typeof item === "string"
          ? this.#hide(item)
          : this.#value(item),
      ]),
    );
  }

  #headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        PLAIN_HEADERS.has(name) ? this.text(value) : this.#hide(value),
      ]),
    );
  }

  #hide(secret: string): string {
    this.#count++;
    return `‹redacted:${sha256Hex(secret).slice(0, 8)}›`;
  }
}
