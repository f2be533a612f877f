/**
 * Driver for the Parley libraries, for all platforms.
 *
 * @module
 */

import { COMM_FEATURES, COMM_OPS } from "./comm.ts";
import type { DriverProgram } from "./driver_protocol.ts";
import { createMcpOps, listMcpFeatures, type McpPlatform } from "./mcp.ts";
import { toErrorOutcome } from "./error_outcome.ts";
import { RUNTIME_FEATURES, RUNTIME_OPS } from "./runtime.ts";
import { MCP_TOOL_OPS } from "./runtime_mcp.ts";
import { MULTI_AGENT_OPS } from "./runtime_multi_agent.ts";
import { JOURNAL_OPS } from "./runtime_journal.ts";
import { OBSERVER_OPS } from "./runtime_observer.ts";
import { TRACER_OPS } from "./runtime_tracer.ts";

/** Creates the driver. */
export function createProgram(platform: McpPlatform = {}): DriverProgram {
  return {
    implementation: { name: "parley", version: "0.1.0", language: "typescript" },
    ops: {
      ...COMM_OPS,
      ...RUNTIME_OPS,
      ...MCP_TOOL_OPS,
      ...MULTI_AGENT_OPS,
      ...JOURNAL_OPS,
      ...OBSERVER_OPS,
      ...TRACER_OPS,
      ...createMcpOps(platform),
    },
    features: { ...COMM_FEATURES, ...RUNTIME_FEATURES, ...listMcpFeatures(platform) },
    transports: platform.spawnServer === undefined ? ["http"] : ["stdio", "http"],
    toErrorOutcome,
  };
}
