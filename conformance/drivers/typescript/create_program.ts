/**
 * Driver for the Parley libraries, for all platforms.
 *
 * @module
 */

import { COMM_FEATURES, COMM_OPS } from "./comm.ts";
import type { DriverProgram } from "./driver_protocol.ts";
import { createMcpOps, MCP_FEATURES } from "./mcp.ts";
import type { Environment, SpawnServer } from "./mcp_client.ts";
import { toErrorOutcome } from "./error_outcome.ts";
import { RUNTIME_FEATURES, RUNTIME_OPS } from "./runtime.ts";
import { MCP_TOOL_OPS } from "./runtime_mcp.ts";
import { MULTI_AGENT_OPS } from "./runtime_multi_agent.ts";
import { JOURNAL_OPS } from "./runtime_journal.ts";
import { OBSERVER_OPS } from "./runtime_observer.ts";
import { TRACER_OPS } from "./runtime_tracer.ts";

/** Features that only some platforms have. */
export interface ProgramPlatform {
  /** Starts MCP servers as processes. If omitted, the client does not support stdio. */
  readonly spawnServer?: SpawnServer;
  /** Environment variables of the driver, which processes can inherit. */
  readonly environment?: Environment;
}

/** Creates the driver. */
export function createProgram({ spawnServer, environment }: ProgramPlatform = {}): DriverProgram {
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
      ...createMcpOps(spawnServer, environment),
    },
    features: { ...COMM_FEATURES, ...RUNTIME_FEATURES, ...MCP_FEATURES },
    transports: spawnServer === undefined ? ["http"] : ["stdio", "http"],
    toErrorOutcome,
  };
}
