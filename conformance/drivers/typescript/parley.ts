/**
 * The driver of our own libraries: the driver protocol over standard input and output.
 *
 *     deno run -A conformance/drivers/typescript/parley.ts
 *
 * @module
 */

import { COMM_FEATURES, COMM_OPS } from "./comm.ts";
import { MCP_FEATURES, MCP_OPS } from "./mcp.ts";
import { serveDriver } from "./conversation.ts";
import type { Op } from "./op.ts";
import { toRefusal } from "./refusal.ts";
import { RUNTIME_FEATURES, RUNTIME_OPS } from "./runtime.ts";
import { COMPANY_OPS } from "./runtime_company.ts";
import { JOURNAL_OPS } from "./runtime_journal.ts";
import { TRACER_OPS } from "./runtime_tracer.ts";

const OPS: Readonly<Record<string, Op>> = {
  ...COMM_OPS,
  ...RUNTIME_OPS,
  ...COMPANY_OPS,
  ...JOURNAL_OPS,
  ...TRACER_OPS,
  ...MCP_OPS,
};
const FEATURES: Readonly<Record<string, boolean>> = {
  ...COMM_FEATURES,
  ...RUNTIME_FEATURES,
  ...MCP_FEATURES,
};

if (import.meta.main) {
  await serveDriver({
    implementation: { name: "parley", version: "0.1.0", language: "typescript" },
    ops: OPS,
    features: FEATURES,
    toRefusal,
  });
}
