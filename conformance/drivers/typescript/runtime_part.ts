/**
 * All operations of the driver for `@parley/runtime`.
 *
 * @module
 */

import type { LibraryPart } from "./assemble_program.ts";
import { RUNTIME_FEATURES, RUNTIME_OPS } from "./runtime.ts";
import { JOURNAL_OPS } from "./runtime_journal.ts";
import { MCP_TOOL_OPS } from "./runtime_mcp.ts";
import { MULTI_AGENT_OPS } from "./runtime_multi_agent.ts";
import { OBSERVER_OPS } from "./runtime_observer.ts";
import { TRACER_OPS } from "./runtime_tracer.ts";

/** Operations and features of the driver for `@parley/runtime`. */
export const RUNTIME_PART: LibraryPart = {
  ops: {
    ...RUNTIME_OPS,
    ...MCP_TOOL_OPS,
    ...MULTI_AGENT_OPS,
    ...JOURNAL_OPS,
    ...OBSERVER_OPS,
    ...TRACER_OPS,
  },
  features: RUNTIME_FEATURES,
};
