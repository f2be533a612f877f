/**
 * Comparison of JSON values with a limited number of steps.
 *
 * @module
 */

/** Counts steps, and throws if there are too many. */
export type Spend = (steps: number) => void;

/** Returns the property names of an object. */
export type KeysOf = (value: object) => readonly string[];

/** Objects with fewer properties are not stored by {@linkcode countingKeys}. */
const MIN_STORED_KEYS = 64;

/**
 * Returns a function that returns the property names of an object. Each name is one step. The names
 * of a large object are listed only once.
 */
export function countingKeys(spend: Spend): KeysOf {
  const stored = new Map<object, readonly string[]>();
  return (value) => {
    const known = stored.get(value);
    if (known !== undefined) return known;
    const keys = Object.keys(value);
    spend(keys.length);
    if (keys.length >= MIN_STORED_KEYS) stored.set(value, keys);
    return keys;
  };
}

/** What a comparison needs to count its steps. */
export interface Counting {
  readonly spend: Spend;
  readonly keysOf: KeysOf;
}

/**
 * Returns true if two JSON values are equal. Spends a step for each pair of values that is
 * compared, before it is compared.
 */
export function isEqual(a: unknown, b: unknown, counting: Counting): boolean {
  const { spend, keysOf } = counting;
  spend(1);
  if (a === b) return true;
  if (!isComposite(a) || !isComposite(b)) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length &&
      a.every((item, index) => isEqual(item, b[index], counting));
  }
  const keys = keysOf(a);
  return keys.length === keysOf(b).length &&
    keys.every((key) =>
      Object.hasOwn(b, key) && isEqual(Reflect.get(a, key), Reflect.get(b, key), counting)
    );
}

/**
 * Returns the indexes of two equal items. The steps are proportional to the size of the items,
 * because the texts of objects and arrays are compared, not each pair of items.
 */
export function findDuplicate(
  items: readonly unknown[],
  counting: Counting,
): readonly [number, number] | undefined {
  counting.spend(items.length);
  const primitives = new Map<unknown, number>();
  const texts = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const text = isComposite(item) ? textOf(item, counting) : undefined;
    const earlier = text === undefined ? primitives.get(item) : texts.get(text);
    if (earlier !== undefined) return [earlier, index];
    if (text === undefined) primitives.set(item, index);
    else texts.set(text, index);
  }
  return undefined;
}

/** Returns a text that is the same for equal JSON values, and only for these. */
function textOf(value: unknown, counting: Counting): string {
  const { spend, keysOf } = counting;
  spend(2);
  if (typeof value === "string") {
    spend(value.length >> 4);
    return JSON.stringify(value);
  }
  if (!isComposite(value)) return String(value === 0 ? 0 : value);
  if (Array.isArray(value)) {
    return `[${value.map((item) => textOf(item, counting)).join()}]`;
  }
  const keys = keysOf(value);
  // Sorting compares each name about as often as the number of names has binary digits.
  spend(keys.length * (32 - Math.clz32(keys.length)) >> 1);
  const members = [...keys].sort().map((key) => {
    spend(key.length >> 4);
    return `${JSON.stringify(key)}:${textOf(Reflect.get(value, key), counting)}`;
  });
  return `{${members.join()}}`;
}

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
