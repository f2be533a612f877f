/**
 * The size of the tests of engines.
 *
 * @module
 */

/**
 * Whether the tests of engines run in their full size, which takes about 15 minutes. The nightly tests set the
 * environment variable `PARLEY_CHAOS` to `full`.
 */
export const IS_FULL: boolean = Deno.env.get("PARLEY_CHAOS") === "full";
