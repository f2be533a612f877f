/**
 * Driver for the model adapters of `@parley/runtime` only, which starts faster than the driver for
 * all libraries.
 *
 *     deno run -A conformance/drivers/typescript/parley_model.ts
 *
 * @module
 */

import { assembleProgram } from "./assemble_program.ts";
import { MODEL_PART } from "./model_part.ts";
import { serveDriver } from "./serve_driver.ts";

if (import.meta.main) await serveDriver(assembleProgram(MODEL_PART));
