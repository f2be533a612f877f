/**
 * The command `parley-kit` of the npm package, and the relay that clients under test start.
 *
 * @module
 */

import { commandLine } from "./platform/process.ts";
import { runProgram } from "./platform/run_program.ts";

// The relay is started once for each case: it must not wait until all of them are read.
const [name, ...words] = commandLine();
if (name === "peer") {
  const { PEER } = await import("./commands/peer.ts");
  await runProgram((_, io) => PEER.run(words, io));
} else {
  const { main } = await import("./cli.ts");
  await runProgram(main);
}
