/**
 * The command that `npx @parley/runtime` starts. npx starts the command that is named after the
 * package, without the scope.
 *
 * @module
 */

import { runProgram } from "./cli/program.ts";
import { main } from "./init.ts";

await runProgram(main);
