/**
 * The run for which an agent is created.
 *
 * @module
 */

import type { JsonObject } from "./json.ts";

/** The run for which an agent is created. */
export interface RunContext {
  /** Id of the run. */
  readonly runId: string;
  /** Party on whose behalf a durable run was started. Absent if the program itself started it. */
  readonly party?: string;
  /** Metadata that the run was started with, or an empty object. */
  readonly metadata: JsonObject;
}
