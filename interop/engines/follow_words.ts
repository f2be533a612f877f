/**
 * The response that the tests follow.
 *
 * @module
 */

/** The words of the response, which differ. */
export const WORDS: readonly string[] = Array.from({ length: 150 }, (_, n) => `word${n} `);
