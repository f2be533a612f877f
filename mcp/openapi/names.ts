/**
 * Names of tools and of their inputs that every model provider accepts.
 *
 * @module
 */

import { shortHash } from "@parley/internal/short-hash";
import { UnsupportedOperation } from "./failures.ts";

/** Tool names that OpenAI, Anthropic and compatible APIs accept. */
export const VALID_NAME: RegExp = /^[A-Za-z0-9_-]{1,64}$/;

/** Maximum length of the name of a tool or of an input. */
const MAX_LENGTH = 64;

/** Number of characters that precede the hash in a name that was shortened or is taken. */
const KEPT_LENGTH = 55;

/** An operation that needs a name. */
export interface Unnamed {
  /** Name from the options, which is used unchanged. */
  readonly chosen: string | undefined;
  /** Name from the document, with the prefix. */
  readonly wanted: string;
  /** Method and path, which are unique in the document. */
  readonly key: string;
}

/**
 * Returns the names of tools, in the order of the operations. Names from the options and valid
 * names are used unchanged and take precedence over converted names, so that the name of an
 * operation depends on as few other operations as possible. In a converted name, each sequence of
 * invalid characters is replaced with `_`. A name that is too long or taken ends in a hash of the
 * method and the path.
 */
export function nameTools(operations: readonly Unnamed[]): readonly string[] {
  const taken = new Set(operations.flatMap(({ chosen }) => chosen ?? []));
  const names = new Map<string, string>();
  const isUnchanged = ({ wanted }: Unnamed): boolean => VALID_NAME.test(wanted);
  const open = operations.filter(({ chosen }) => chosen === undefined);
  for (const each of [...open.filter(isUnchanged), ...open.filter((each) => !isUnchanged(each))]) {
    const name = freeName(each, taken);
    taken.add(name);
    names.set(each.key, name);
  }
  return operations.map(({ chosen, key }) => chosen ?? names.get(key) ?? key);
}

function freeName({ wanted, key }: Unnamed, taken: ReadonlySet<string>): string {
  const legal = VALID_NAME.test(wanted)
    ? wanted
    : wanted.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+|_+$/g, "") || "operation";
  if (legal.length <= MAX_LENGTH && !taken.has(legal)) return legal;
  const kept = legal.slice(0, KEPT_LENGTH);
  let name = `${kept}_${shortHash(key)}`;
  // Different keys can have the same hash.
  for (let count = 2; taken.has(name); count++) name = `${kept}_${shortHash(`${key} ${count}`)}`;
  return name;
}

/**
 * Returns the name of an input: the name of the parameter, in which `_` replaces the characters
 * that providers reject in property names. If the name is taken, the location precedes the name.
 *
 * @param taken Names of other inputs.
 */
export function nameInput(
  name: string,
  location: string,
  taken: ReadonlySet<string>,
): string {
  const legal = (text: string): string =>
    text.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, MAX_LENGTH) || "_";
  // An object whose member `__proto__` is assigned has another prototype.
  const plain = name === "__proto__" ? "proto" : legal(name);
  if (!taken.has(plain)) return plain;
  const located = legal(`${location}_${plain}`);
  if (!taken.has(located)) return located;
  const hashed = `${located.slice(0, KEPT_LENGTH)}_${shortHash(`${location} ${name}`)}`;
  if (!taken.has(hashed)) return hashed;
  throw new UnsupportedOperation("several parameters have the same name after conversion");
}
