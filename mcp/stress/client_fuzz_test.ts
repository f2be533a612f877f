/** Fuzz tests that send malformed responses to the client on every transport. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ODD_SERVERS, oddAnswer, outcome, runDueTimers } from "./testdata/odd_server.ts";

/**
 * Number of responses per run. By default, 100 runs test 5,000 responses; the nightly profile tests
 * 40 times as many.
 */
const ANSWERS_PER_RUN = 50;

const answers = fc.array(oddAnswer, { minLength: ANSWERS_PER_RUN, maxLength: ANSWERS_PER_RUN });

for (const [way, connect] of ODD_SERVERS) {
  Deno.test(`a client (${way}) stays connected after any malformed response`, async () => {
    const property = fc.asyncProperty(answers, async (all) => {
      const { client, prepare } = await connect();
      for (const answer of all) {
        prepare(answer);
        await outcome(client);
        assert(client.connected);
      }
      assertEquals(await outcome(client), "result");
      await client.disconnect();
    });
    await fc.assert(property, propertyRuns(100));
    // Run the timers of pipes that were closed while they yielded to the event loop.
    await runDueTimers();
  });
}
