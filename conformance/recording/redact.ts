/**
 * Removes secrets from recordings. Equal secrets are replaced with equal placeholders, to keep
 * references recognizable.
 *
 * @module
 */

import { isObject, readJson } from "../kit/json.ts";
import { sha256Hex } from "../platform/crypto.ts";
import type { RecordedEvent } from "./format.ts";

type HttpHead = NonNullable<RecordedEvent["http"]>;

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

/** Names of query parameters whose values are secrets. */
const SECRET_PARAMETERS = /key|token|secret|password|credential|signature|^code$/i;

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
   * @param secrets Strings to remove, such as values of environment variables. Strings that are
   * shorter than the minimum length are not removed.
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
      ...(raw === undefined ? {} : { raw: this.#raw(raw) }),
      ...(stderr === undefined ? {} : { stderr: this.text(stderr) }),
      ...(http === undefined ? {} : { http: this.#http(http) }),
    };
  }

  /**
   * Returns a URL, a path with a query, or a word that contains a URL, without the user name, the
   * password and the secret query parameters.
   */
  url(text: string): string {
    const plain = text
      .replace(/(?<=:\/\/)[^/?#\s]+(?=@)/, (secret) => this.#hide(secret))
      .replace(
        /(?<=[?&])([^?=&#\s]+)=([^&#\s]+)/g,
        (whole, name: string, value: string) =>
          SECRET_PARAMETERS.test(name) ? `${name}=${this.#hide(value)}` : whole,
      );
    return this.text(plain);
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

  /**
   * Removes secrets from a line that was not stored as JSON. A line of JSON can still contain
   * members that are secrets.
   */
  #raw(line: string): string {
    const parsed = readJson(line);
    if (parsed === undefined) return this.text(line);
    const before = this.#count;
    const value = this.#value(parsed.value);
    return this.text(this.#count === before ? line : JSON.stringify(value));
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

  #http({ path, headers, ...rest }: HttpHead): HttpHead {
    return {
      ...rest,
      ...(path === undefined ? {} : { path: this.url(path) }),
      headers: this.#headers(headers),
    };
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
