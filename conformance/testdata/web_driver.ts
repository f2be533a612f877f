/**
 * The driver of our libraries as on a platform that can start no processes.
 *
 * @module
 */

import { createProgram } from "../drivers/typescript/create_program.ts";
import { serveDriver } from "../drivers/typescript/serve_driver.ts";

await serveDriver(createProgram());
