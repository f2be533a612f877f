/**
 * Drivers for the Parley libraries, for all platforms.
 *
 * @module
 */

import { assembleProgram } from "./assemble_program.ts";
import { COMM_PART } from "./comm.ts";
import type { DriverProgram } from "./driver_protocol.ts";
import { createMcpPart, type McpPlatform } from "./mcp.ts";
import { MODEL_PART } from "./model_part.ts";
import { RUNTIME_PART } from "./runtime_part.ts";

/** Creates the driver for all libraries. */
export function createProgram(platform: McpPlatform = {}): DriverProgram {
  return assembleProgram(COMM_PART, RUNTIME_PART, MODEL_PART, createMcpPart(platform));
}
