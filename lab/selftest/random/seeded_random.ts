/**
 * Pseudorandom numbers generated from a seed.
 *
 * @module
 */

/**
 * Returns a function that returns pseudorandom numbers from 0 to 1, excluding 1 (the generator
 * mulberry32).
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the items in a random order. */
export function shuffle<T>(items: readonly T[], random: () => number): readonly T[] {
  return items.map((item) => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
