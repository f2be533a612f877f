/**
 * Assertions for the programs, which run on platforms without a test runner.
 *
 * @module
 */

/** Throws an error if the claim is false. */
export function check(claim: boolean, what: string): void {
  if (!claim) throw new Error(`The packages do not work on this platform: ${what}`);
}

/** Throws an error if the JSON of the two values differs. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(got === wanted, `${what}: expected ${wanted}, got ${got}`);
}
