/**
 * Converts arguments to the text of paths, queries, headers and forms.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#style-examples Style examples}
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { Serialization } from "./parameters.ts";

/** A name and a value in a query or a form, both encoded. */
export type Pair = readonly [name: string, value: string];

/** Percent-encodes everything except unreserved characters (RFC 3986, section 2.3). */
export function encode(value: unknown): string {
  return encodeURIComponent(toText(value).toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Same as {@linkcode encode}, but keeps the reserved characters that do not separate parameters in
 * a query.
 */
function encodeReserved(value: unknown): string {
  return encode(value).replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/g, decodeURIComponent);
}

/** Returns a value as text. Values for which OpenAPI defines no text are JSON. */
export function toText(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** Returns the text of a path parameter with one of the styles `simple`, `label` and `matrix`. */
export function toPathText({ name, style, isExploded }: Serialization, value: unknown): string {
  const parts = partsOf(value, isExploded, encode);
  switch (style) {
    case "label":
      return `.${parts.join(isExploded ? "." : ",")}`;
    case "matrix":
      if (!isExploded || !isComposite(value)) return matrix(encode(name), parts.join(","));
      return parts.map((part) => isRecord(value) ? `;${part}` : matrix(encode(name), part)).join(
        "",
      );
    default:
      return parts.join(",");
  }
}

function matrix(name: string, text: string): string {
  return text === "" ? `;${name}` : `;${name}=${text}`;
}

/** Returns the text of a header, which has the style `simple` and is not percent-encoded. */
export function toHeaderText({ isExploded }: Serialization, value: unknown): string {
  return partsOf(value, isExploded, toText).join(",");
}

/** Text between the items of a parameter that is not exploded. */
const SEPARATORS: Readonly<Record<string, string>> = {
  spaceDelimited: "%20",
  pipeDelimited: "%7C",
};

/** Returns the pairs of a query parameter or of a member of a form. */
export function toPairs(serialization: Serialization, value: unknown): readonly Pair[] {
  const { name, style, isExploded, allowsReserved } = serialization;
  const encodeValue = allowsReserved ? encodeReserved : encode;
  if (style === "deepObject" && isComposite(value)) return nestedPairs(encode(name), value);
  if (!isComposite(value)) return [[encode(name), encodeValue(value)]];
  if (isExploded && isRecord(value)) {
    return membersOf(value).map(([key, member]) => [encode(key), encodeValue(member)]);
  }
  const parts = partsOf(value, false, encodeValue);
  if (isExploded) return parts.map((part) => [encode(name), part]);
  return parts.length === 0 ? [] : [[encode(name), parts.join(SEPARATORS[style] ?? ",")]];
}

/**
 * Returns the pairs of a nested value: `a[b]=c` for an object, `a[]=b` for an array, as most
 * servers expect, and `a[0][b]=c` for an array that contains objects or arrays.
 */
function nestedPairs(name: string, value: unknown): readonly Pair[] {
  if (!isComposite(value)) return [[name, encode(value)]];
  if (isRecord(value)) {
    return membersOf(value).flatMap(([key, member]) =>
      nestedPairs(`${name}%5B${encode(key)}%5D`, member)
    );
  }
  const isFlat = !value.some(isComposite);
  return value.flatMap((item, index) => nestedPairs(`${name}%5B${isFlat ? "" : index}%5D`, item));
}

/** Returns the parts of a value: itself, its items, or its members. */
function partsOf(
  value: unknown,
  isExploded: boolean,
  toPart: (value: unknown) => string,
): readonly string[] {
  if (!isComposite(value)) return [toPart(value)];
  if (!isRecord(value)) return value.map(toPart);
  const members = membersOf(value);
  return isExploded
    ? members.map(([key, member]) => `${toPart(key)}=${toPart(member)}`)
    : members.flat().map(toPart);
}

function isComposite(value: unknown): value is Readonly<Record<string, unknown>> | unknown[] {
  return typeof value === "object" && value !== null;
}

/** Returns the members of an object that have a value. */
function membersOf(
  value: Readonly<Record<string, unknown>>,
): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
}
