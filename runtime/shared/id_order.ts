/**
 * The order of ids: by Unicode code point, as in the UTF-8 text of a database.
 *
 * @module
 */

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
const LAST_CODE_POINT = 0x10ffff;

/** Compares two well-formed texts by their code points. */
export function compareIds(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [unit, otherUnit] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (unit !== otherUnit) return rankOf(unit) - rankOf(otherUnit);
  }
  return one.length - other.length;
}

/** Returns the rank of a UTF-16 code unit. Surrogates encode the code points after all others. */
function rankOf(unit: number): number {
  return unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE ? unit + LAST_CODE_POINT : unit;
}

/**
 * Returns the first text after all texts that start with a prefix, or `undefined` if there is no
 * such text.
 */
export function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  const last = points.findLastIndex((point) => point < LAST_CODE_POINT);
  const point = points[last];
  if (point === undefined) return undefined;
  const next = point + 1 === FIRST_SURROGATE ? LAST_SURROGATE + 1 : point + 1;
  return String.fromCodePoint(...points.slice(0, last), next);
}
