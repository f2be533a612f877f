/**
 * Handler for `server/discover`.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/discover Discovery}
 * @module
 */

import { Method } from "../protocol/methods.ts";
import { versionsOf } from "../protocol/revisions.ts";
import type { ServerAdvertisement } from "./server_core.ts";
import type { MethodHandler } from "./dispatch.ts";

/** Creates the handler for `server/discover`. */
export function discoverMethods(
  describe: () => ServerAdvertisement,
): Record<string, MethodHandler> {
  return {
    [Method.Discover]: () => {
      const { capabilities, instructions } = describe();
      const supportedVersions = versionsOf("modern");
      return instructions === undefined
        ? { supportedVersions, capabilities }
        : { supportedVersions, capabilities, instructions };
    },
  };
}
