/**
 * The native writer of JSON, helped where it is slow: a small value between two other tasks.
 *
 * @module
 */

import type { JsonValue } from "./json.ts";

/** What can be written: JSON, in whose objects members may be undefined and are then left out. */
export type Writable = JsonValue | { readonly [name: string]: Writable | undefined };

/** How many members and items a small value has at most. */
const MAX_SMALL = 64;

interface Writing {
  /** How many members and items may still come. */
  left: number;
  /** All names and strings, so that letters to escape are looked for once and not string by string. */
  strings: string;
}

/**
 * Writes what `JSON.stringify` writes, for values with well-formed strings. The text of a small value without letters
 * to escape, which is what most messages are, is joined from its pieces: in the midst of other work that takes a third
 * of the time.
 */
export function writeJson(value: Writable): string {
  const writing = { left: MAX_SMALL, strings: "" };
  const text = write(value, writing);
  return isPlain(writing) ? text : JSON.stringify(value);
}

/** Looking for one letter at a time is quicker than for a class of them. */
function isPlain({ left, strings }: Writing): boolean {
  return left >= 0 && !strings.includes('"') && !strings.includes("\\") &&
    !/[^ -\uffff]/.test(strings);
}

function write(value: Writable, writing: Writing): string {
  if (typeof value === "string") {
    writing.strings += value;
    return `"${value}"`;
  }
  if (typeof value !== "object" || value === null) return `${value}`;
  return isArray(value) ? writeArray(value, writing) : writeObject(value, writing);
}

/** The standard type guard does not know read-only arrays. */
function isArray(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function writeArray(items: readonly JsonValue[], writing: Writing): string {
  writing.left -= items.length;
  if (writing.left < 0) return "";
  let text = "";
  for (const item of items) text += `${text === "" ? "" : ","}${write(item, writing)}`;
  return `[${text}]`;
}

function writeObject(
  object: { readonly [name: string]: Writable | undefined },
  writing: Writing,
): string {
  const names = Object.keys(object);
  writing.left -= names.length;
  if (writing.left < 0) return "";
  let text = "";
  let separator = '{"';
  for (const name of names) {
    const member = object[name];
    if (member === undefined) continue;
    writing.strings += name;
    if (typeof member === "string") {
      // The most frequent case, without a call.
      writing.strings += member;
      text += separator + name + '":"' + member + '"';
    } else {
      text += separator + name + '":' + write(member, writing);
    }
    separator = ',"';
  }
  return text === "" ? "{}" : text + "}";
}
