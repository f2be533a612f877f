/**
 * The kit's own version.
 *
 * @module
 */

import manifest from "../deno.json" with { type: "json" };

/** The kit's own version. */
export const KIT_VERSION: string = manifest.version;
