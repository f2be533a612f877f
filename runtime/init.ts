/**
 * The command that creates a project with an agent or a team of agents.
 *
 *     npx @parley/runtime init agent my-agent
 *     deno run -A jsr:@parley/runtime/init agent my-agent
 *
 * The command writes only to the new folder, and installs nothing.
 *
 * @module
 */

import { runProgram } from "./cli/program.ts";
import { type InitIo, main } from "./init/main.ts";

export { type InitIo, main };

// Before version 24, Node.js lacks `import.meta.main`, so the npm package starts init_bin.ts
// instead of this file.
if ((import.meta as { readonly main?: boolean }).main === true) await runProgram(main);
