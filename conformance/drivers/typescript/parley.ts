/**
 * The driver of our own libraries: the driver protocol over standard input and output.
 *
 *     deno run -A conformance/drivers/typescript/parley.ts
 *
 * @module
 */

import { spawnServer } from "@parley/mcp/process";
import { createProgram } from "./create_program.ts";
import { serveDriver } from "./serve_driver.ts";

if (import.meta.main) await serveDriver(createProgram({ spawnServer }));
