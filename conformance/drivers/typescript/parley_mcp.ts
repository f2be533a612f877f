/**
 * Driver for `@parley/mcp` only, which starts faster than the driver for all libraries.
 *
 *     deno run -A conformance/drivers/typescript/parley_mcp.ts
 *
 * @module
 */

import { env } from "node:process";
import { spawnServer } from "@parley/mcp/process";
import { assembleProgram } from "./assemble_program.ts";
import { createMcpPart } from "./mcp.ts";
import { fetchThroughNode } from "./node_listener.ts";
import { serveDriver } from "./serve_driver.ts";

if (import.meta.main) {
  const part = createMcpPart({ spawnServer, environment: env, fetchThroughNode });
  await serveDriver(assembleProgram(part));
}
