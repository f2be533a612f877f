/**
 * Claims that the programs make, on platforms that have no test runner.
 *
 * @module
 */

/** Throws unless the claim holds. */
export function check(claim: boolean, what: string): void {
  if (!claim) throw new Error(`The packages are broken here: ${what}`);
}

/** Throws unless both have the same JSON. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(got === wanted, `${what}: ${got} in place of ${wanted}`);
}
