/**
 * The `parley-kit` command in the npm package.
 *
 * @module
 */

import { main } from "./cli.ts";
import { runProgram } from "./platform/run_program.ts";

await runProgram(main);
