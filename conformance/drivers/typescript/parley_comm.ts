/**
 * Driver for `@parley/comm` only, which starts faster than the driver for all libraries.
 *
 *     deno run -A conformance/drivers/typescript/parley_comm.ts
 *
 * @module
 */

import { assembleProgram } from "./assemble_program.ts";
import { COMM_PART } from "./comm.ts";
import { serveDriver } from "./serve_driver.ts";

if (import.meta.main) await serveDriver(assembleProgram(COMM_PART));
