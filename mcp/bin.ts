/**
 * The `parley-mcp` command in the npm package.
 *
 * @module
 */

import { main } from "./cli.ts";
import { runProgram } from "./command/run_program.ts";

await runProgram(main);
