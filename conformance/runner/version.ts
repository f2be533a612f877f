/**
 * Version of the kit.
 *
 * @module
 */

import manifest from "../deno.json" with { type: "json" };

/** Version of the kit. */
export const KIT_VERSION: string = manifest.version;
