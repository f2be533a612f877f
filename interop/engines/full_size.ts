/**
 * Size of the engine tests.
 *
 * @module
 */

/**
 * Whether the engine tests run at full size, which takes about 15 minutes. The nightly tests set
 * the environment variable `PARLEY_CHAOS` to `full`.
 */
export const IS_FULL: boolean = Deno.env.get("PARLEY_CHAOS") === "full";
