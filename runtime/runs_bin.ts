/**
 * The `parley-runs` command in the npm package.
 *
 * @module
 */

import { runProgram } from "./cli/program.ts";
import { main } from "./runs_cli.ts";

await runProgram(main);
