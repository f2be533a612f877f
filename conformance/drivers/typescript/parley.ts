/**
 * Driver for the Parley libraries, over stdio.
 *
 *     deno run -A conformance/drivers/typescript/parley.ts
 *
 * @module
 */

import { env } from "node:process";
import { spawnServer } from "@parley/mcp/process";
import { createProgram } from "./create_program.ts";
import { fetchThroughNode } from "./node_listener.ts";
import { serveDriver } from "./serve_driver.ts";

if (import.meta.main) {
  await serveDriver(createProgram({ spawnServer, environment: env, fetchThroughNode }));
}
