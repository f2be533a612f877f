/**
 * Tries `@parley/mcp` on implementations that others wrote: their clients on our server, our client on
 * their servers, both with their authorization server.
 *
 *     deno task interop [words that a subject's name has to contain]
 *
 * @module
 */

import { AUTHORIZATION } from "./auth/subjects.ts";
import { runSubject, type Subject, type Tally } from "./check.ts";
import { CLIENTS } from "./clients/subjects.ts";
import { SERVERS } from "./servers/subjects.ts";

const all = [...CLIENTS, ...SERVERS, ...AUTHORIZATION];
if (!all.some(isChosen)) {
  console.error(`interop: Cannot find a subject with "${Deno.args.join(" ")}" in its name`);
  Deno.exit(2);
}
const tally: Tally = { passed: 0, failed: 0 };
await Promise.all([runAll(CLIENTS), runAll(SERVERS), runAll(AUTHORIZATION)]);
console.log(`interop: ${tally.passed} passed, ${tally.failed} failed`);
Deno.exit(tally.failed === 0 ? 0 : 1);

/** One after another: they are to be kept waiting by what they do, not by each other. */
async function runAll(subjects: readonly Subject[]): Promise<void> {
  for (const subject of subjects) {
    if (isChosen(subject)) await runSubject(subject, tally);
  }
}

function isChosen({ name }: Subject): boolean {
  return Deno.args.every((word) => name.includes(word));
}
