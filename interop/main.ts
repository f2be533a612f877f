/**
 * Checks `@parley/mcp` with third-party implementations: third-party clients with our server, our client with
 * third-party servers, and both with a third-party authorization server. Also checks a chat page with an agent of
 * `@parley/runtime`.
 *
 *     deno task interop [PART-OF-A-NAME...]
 *
 * @module
 */

import { AUTHORIZATION } from "./auth/subjects.ts";
import { runSubject, type Subject, type Tally } from "./check.ts";
import { CLIENTS } from "./clients/subjects.ts";
import { FRONT_ENDS } from "./front_ends/subjects.ts";
import { GATEWAY } from "./gateway/subjects.ts";
import { SERVERS } from "./servers/subjects.ts";

const all = [...CLIENTS, ...SERVERS, ...AUTHORIZATION, ...FRONT_ENDS, ...GATEWAY];
if (!all.some(isChosen)) {
  console.error(`interop: Cannot select subjects: no name contains "${Deno.args.join('" and "')}"`);
  Deno.exit(2);
}
const tally: Tally = { passed: 0, failed: 0 };
await Promise.all([CLIENTS, SERVERS, AUTHORIZATION, FRONT_ENDS, GATEWAY].map(runAll));
console.log(`interop: ${tally.passed} passed, ${tally.failed} failed`);
Deno.exit(tally.failed === 0 ? 0 : 1);

/** Runs the checks for one kind of implementation sequentially so that the checks do not slow each other down. */
async function runAll(subjects: readonly Subject[]): Promise<void> {
  for (const subject of subjects) {
    if (isChosen(subject)) await runSubject(subject, tally);
  }
}

function isChosen({ name }: Subject): boolean {
  return Deno.args.every((word) => name.includes(word));
}
