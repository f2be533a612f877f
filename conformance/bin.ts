/**
 * The command `parley-kit` of the npm package.
 *
 * @module
 */

import { main } from "./cli.ts";
import { runProgram } from "./platform/run_program.ts";

await runProgram(main);
