/**
 * Tests `@parley/mcp` against third-party implementations: third-party clients with our server, our
 * client with third-party servers, our client and server with a third-party authorization server,
 * and our server behind web frameworks. The program also checks a chat page with a
 * `@parley/runtime` agent. With `--nightly`, only the frameworks in the nightly run are checked.
 *
 *     deno task interop [PART-OF-A-NAME...]
 *     deno task interop --nightly
 *     deno task interop --help
 *
 * @module
 */

import { readCommand, USAGE } from "./arguments.ts";
import { AUTHORIZATION } from "./auth/subjects.ts";
import { runSubject, type Subject, type Tally } from "./check.ts";
import { CLIENTS } from "./clients/subjects.ts";
import { FRAMEWORKS, NIGHTLY_FRAMEWORKS } from "./frameworks/subjects.ts";
import { FRONT_ENDS } from "./front_ends/subjects.ts";
import { GATEWAY } from "./gateway/subjects.ts";
import { MIGRATION } from "./migration/subjects.ts";
import { SERVERS } from "./servers/subjects.ts";

const command = readCommand(Deno.args);
if (command.kind === "help") {
  console.log(USAGE.trimEnd());
  Deno.exit(0);
}
if (command.kind === "invalid") {
  console.error(`interop: ${command.reason}\n${USAGE.trimEnd()}`);
  Deno.exit(2);
}
const { isNightly, words } = command;
const kinds = isNightly
  ? [NIGHTLY_FRAMEWORKS]
  : [CLIENTS, SERVERS, AUTHORIZATION, FRAMEWORKS, FRONT_ENDS, GATEWAY, MIGRATION];
if (!kinds.flat().some(isChosen)) {
  console.error(`interop: Cannot select subjects: no name contains "${words.join('" and "')}"`);
  Deno.exit(2);
}
const tally: Tally = { passed: 0, failed: [] };
await Promise.all(kinds.map(runAll));
for (const line of tally.failed) console.log(`failed: ${line}`);
console.log(`interop: ${tally.passed} passed, ${tally.failed.length} failed`);
Deno.exit(tally.failed.length === 0 ? 0 : 1);

/**
 * Runs the checks for one kind of implementation sequentially so that the checks do not slow each
 * other down.
 */
async function runAll(subjects: readonly Subject[]): Promise<void> {
  for (const subject of subjects) {
    if (isChosen(subject)) await runSubject(subject, tally);
  }
}

function isChosen({ name }: Subject): boolean {
  return words.every((word) => name.includes(word));
}
