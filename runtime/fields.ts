/**
 * The first look at anything from outside, for code that is loaded later.
 *
 * @module
 */

/** Fields of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whatever it is, its fields may be looked at; null, undefined and primitive values have none of their own. */
export function fieldsOf(value: unknown): Fields {
  return Object(value);
}
