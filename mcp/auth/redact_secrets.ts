/**
 * Removes secrets from errors and from text of third parties.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { isRecord } from "@parley/internal/json";
import { formsOf, isHiddenIn, MIN_CHARS } from "@parley/internal/secret-forms";

/** Text that replaces a secret. */
const MARK = "...";

/** Text that replaces a text which contains a secret in an encoding that cannot be cut out. */
const WITHHELD = "[text with a secret]";

/** Message of the error that replaces an error which cannot be inspected. */
const UNREADABLE = "[error that cannot be inspected]";

/** Text that replaces a text which is too long to be searched for secrets. */
const TOO_LONG = "[text that is too long to be searched for secrets]";

/**
 * Maximum length of a text that is searched, in characters. The search for encoded secrets takes
 * about a microsecond for each 20 characters, and errors are shorter than this.
 */
const MAX_SEARCHED_CHARS = 256 * 1024;

/** Maximum number of tracked secrets. Beyond the limit, the oldest secret is discarded. */
const MAX_SECRETS = 100;

/** Maximum depth and number of values of an error that are inspected. */
const MAX_DEPTH = 8;
const MAX_VALUES = 1000;

/**
 * Members of OAuth messages and stored credentials whose values are secret, in JSON, form encoding
 * or prose. An authorization code is recognized only in a query or a form, because `code` is a
 * common name.
 */
const MEMBERS =
  /\b((?:access|refresh|id|subject|actor|registration_access)_?token|client_?secret|code_?verifier|(?:client_?)?assertion)(["'\\\s]*[:=]["'\\\s]*)[^\s"'\\&,;}]+/gi;
const CODE = /((?:^|[?&])code=)[^\s"'\\&#]+/g;

/**
 * Sequences of 40 or more characters are removed from text of third parties, because signed
 * assertions are that long and ordinary words are not.
 */
const LONG_RUN = /[\w+/=-]{40,}/g;

/**
 * The secrets of one client or of one request, for example tokens, authorization codes and client
 * secrets. A secret is found as it is, percent-encoded, form-encoded, escaped as in JSON, in
 * base64, base64url, hexadecimal or as a list of bytes, also as a part of the encoded text, in up
 * to three encodings. In these forms, a secret of 8 or more characters is also found in another
 * case and with white space or invisible characters between its characters. A part of a secret, and
 * a secret that was encrypted, compressed or reversed, is not found.
 */
export class Secrets {
  readonly #secrets = new Set<string>();
  /** Forms of the secrets, the longest first; `undefined` if a secret was added since. */
  #forms: readonly string[] | undefined;

  /** Adds secrets. Absent values and values that are too short to recognize are ignored. */
  add(...secrets: readonly (string | undefined)[]): void {
    for (const secret of secrets) {
      if (secret === undefined || secret.length < MIN_CHARS) continue;
      this.#secrets.delete(secret);
      this.#secrets.add(secret);
      this.#forms = undefined;
      const [oldest] = this.#secrets;
      if (this.#secrets.size > MAX_SECRETS && oldest !== undefined) this.#secrets.delete(oldest);
    }
  }

  /** Removes the secrets, and the values of parameters that are always secret, from a text. */
  hide(text: string): string {
    return this.hideKnown(text).replace(MEMBERS, `$1$2${MARK}`).replace(CODE, `$1${MARK}`);
  }

  /**
   * Removes only the secrets from a text. Parameters of others, such as the `code` in a URL that
   * the user must open, are not changed. A text with more than 262,144 characters is replaced.
   */
  hideKnown(text: string): string {
    if (this.#secrets.size === 0) return text;
    if (text.length > MAX_SEARCHED_CHARS) return TOO_LONG;
    const forms = this.#forms ??= [...this.#secrets].flatMap(formsOf)
      .sort((a, b) => b.length - a.length);
    const rest = forms.reduce((rest, form) => rest.replaceAll(form, MARK), text);
    return isHiddenIn(rest, forms) ? WITHHELD : rest;
  }

  /** Removes the secrets from a text of a third party, and long sequences that may be secrets. */
  hideForeign(text: string): string {
    return this.hide(text).replace(LONG_RUN, MARK);
  }

  /**
   * Returns the error if it contains no secret. Otherwise, returns a copy of the error and its
   * causes that consists of the name, the message, the stack and the code, without secrets. Never
   * throws: an error that cannot be inspected, such as a proxy that throws, is replaced.
   */
  clean(error: unknown): unknown {
    const seen = new Set<unknown>();
    try {
      return this.#exposes(error, { depth: 0, seen }) ? this.#copy(error, 0) : error;
    } catch {
      return new Error(UNREADABLE);
    }
  }

  #exposes(
    value: unknown,
    { depth, seen }: { readonly depth: number; readonly seen: Set<unknown> },
  ): boolean {
    if (typeof value === "string") return this.hide(value) !== value;
    if (typeof value === "symbol") return this.#exposes(String(value), { depth, seen });
    const isFunction = typeof value === "function";
    if (isFunction && this.#exposes(String(value), { depth, seen })) return true;
    if (!isFunction && typeof value !== "object") return false;
    if (value === null || seen.has(value)) return false;
    if (depth > MAX_DEPTH || seen.size > MAX_VALUES) return true;
    seen.add(value);
    const isError = value instanceof Error;
    // Other objects, such as requests and headers, show their content only to some loggers.
    if (!isError && !isFunction && !Array.isArray(value) && !isPlain(value)) return true;
    if (hasOwnText(value)) return true;
    for (const name of isError ? namesOf(value) : Reflect.ownKeys(value)) {
      if (this.#exposes(name, { depth, seen })) return true;
      const member: unknown = Reflect.get(value, name);
      // A method is part of an error's class.
      const isMethod = typeof member === "function" && !Object.hasOwn(value, name);
      if (!isMethod && this.#exposes(member, { depth: depth + 1, seen })) return true;
    }
    return false;
  }

  #copy(error: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH) return undefined;
    if (!(error instanceof Error)) {
      return new Error(typeof error === "string" ? this.hide(error) : WITHHELD);
    }
    const cause = error.cause === undefined ? {} : { cause: this.#copy(error.cause, depth + 1) };
    const copy = error instanceof McpError
      ? this.#copyOwn(error, cause)
      : Object.assign(new Error(this.hide(String(error.message)), cause), {
        ...this.#codeOf(error),
        name: this.hide(String(error.name)),
      });
    const stack = this.hide(String(error.stack));
    Object.defineProperty(copy, "stack", { value: stack, configurable: true, writable: true });
    return copy;
  }

  #copyOwn(error: McpError, cause: { readonly cause?: unknown }): McpError {
    const { code, message, rpcCode, httpStatus } = error;
    const details = Object.fromEntries(
      Object.entries(error.details).map(([name, value]) => [
        name,
        typeof value === "string" ? this.hide(value) : value,
      ]),
    );
    // The cast is safe, because the copy has the same members with values of the same types.
    return new McpError(code, details as typeof error.details, this.hide(message), {
      ...cause,
      ...(rpcCode === undefined ? {} : { rpcCode }),
      ...(httpStatus === undefined ? {} : { httpStatus }),
    });
  }

  #codeOf(error: Error): { readonly code?: string | number } {
    const code: unknown = Reflect.get(error, "code");
    if (typeof code === "number") return { code };
    return typeof code === "string" ? { code: this.hide(code) } : {};
  }
}

/** Names of the methods with which loggers convert a value to text. */
const TEXT_METHODS: readonly (string | symbol)[] = [
  "toJSON",
  "toString",
  "valueOf",
  Symbol.toPrimitive,
  Symbol.for("nodejs.util.inspect.custom"),
  Symbol.for("Deno.customInspect"),
  Symbol.for("Deno.privateCustomInspect"),
];

/**
 * Returns `true` if the text of a value is not determined by its members: if the value or its class
 * has a method that converts it to text, or if the value has a getter, which can return another
 * value later.
 */
function hasOwnText(value: object): boolean {
  // On some runtimes, `stack` is a getter.
  const { stack: _stack, ...members } = Object.getOwnPropertyDescriptors(value);
  if (Object.values(members).some(({ get }) => get !== undefined)) return true;
  const usual = usualOf(value);
  return TEXT_METHODS.some((name) => Reflect.get(value, name) !== Reflect.get(usual, name));
}

/** Returns a value that is converted to text like all built-in values of its kind. */
function usualOf(value: object): object {
  if (typeof value === "function") return () => {};
  if (Array.isArray(value)) return [];
  if (value instanceof DOMException) return new DOMException();
  if (value instanceof Error) return new Error();
  return Object.getPrototypeOf(value) === null ? Object.create(null) : {};
}

/** Returns the names of the members of an error, including those of its class, such as getters. */
function namesOf(error: Error): ReadonlySet<string | symbol> {
  const names = new Set<string | symbol>(["name", "message", "stack", "cause"]);
  let owner: object | null = error;
  for (let depth = 0; owner !== null && owner !== Error.prototype && depth < MAX_DEPTH; depth++) {
    for (const name of Reflect.ownKeys(owner)) if (name !== "constructor") names.add(name);
    owner = Object.getPrototypeOf(owner);
  }
  return names;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return isRecord(value) && (prototype === Object.prototype || prototype === null);
}
