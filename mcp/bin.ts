/**
 * The `parley-mcp` command in the npm package.
 *
 * @module
 */

import { runProgram } from "./cli.ts";

await runProgram();
