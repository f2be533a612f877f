/**
 * The program of a web page.
 *
 * @module
 */

import { removeEd25519, useEverything } from "./all_packages.ts";

if (location.search === "?without-ed25519") removeEd25519();

/** Uses all packages. Returns the signature of a fixed message. */
export async function main(): Promise<string> {
  return await useEverything(location.origin);
}
