/**
 * Combines the operations of several Parley libraries in one driver.
 *
 * @module
 */

import type { DriverProgram } from "./driver_protocol.ts";
import { toErrorOutcome } from "./error_outcome.ts";

/** Operations and features of one library. */
export type LibraryPart =
  & Pick<DriverProgram, "ops">
  & Required<Pick<DriverProgram, "features">>
  & Pick<DriverProgram, "transports">;

/** Creates a driver for some of the Parley libraries. */
export function assembleProgram(...parts: readonly LibraryPart[]): DriverProgram {
  const transports = parts.find((part) => part.transports !== undefined)?.transports;
  return {
    implementation: { name: "parley", version: "0.1.0", language: "typescript" },
    ops: Object.assign({}, ...parts.map(({ ops }) => ops)),
    features: Object.assign({}, ...parts.map(({ features }) => features)),
    ...(transports === undefined ? {} : { transports }),
    toErrorOutcome,
  };
}
