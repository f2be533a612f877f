/**
 * The Parley driver on a platform without processes.
 *
 * @module
 */

import { createProgram } from "../drivers/typescript/create_program.ts";
import { serveDriver } from "../drivers/typescript/serve_driver.ts";

await serveDriver(createProgram());
