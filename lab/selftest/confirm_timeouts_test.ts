import { assertEquals } from "@std/assert";
import { confirmTimeouts } from "./confirm_timeouts.ts";
import type { Failure } from "./negative_rows.ts";

/** Confirms failures, and returns what remains and what was run again. */
async function confirm(
  failures: readonly Failure[],
  remaining: readonly Failure[],
): Promise<readonly [readonly Failure[], readonly string[]]> {
  const again: string[] = [];
  const left = await confirmTimeouts(failures, (ids) => {
    again.push(...ids);
    return Promise.resolve(remaining);
  });
  return [left, again];
}

const HANG: Failure = { id: "comm/x/hang", verdict: "hang" };
const FAIL: Failure = { id: "comm/x/fail", verdict: "fail" };

Deno.test("cases that timed out are run again, and only the second result counts", async () => {
  assertEquals(await confirm([HANG], []), [[], ["comm/x/hang"]]);
  assertEquals(await confirm([HANG], [HANG]), [[HANG], ["comm/x/hang"]]);
});

Deno.test("nothing is run again if no case timed out, or if a case failed otherwise", async () => {
  assertEquals(await confirm([], [HANG]), [[], []]);
  assertEquals(await confirm([FAIL], []), [[FAIL], []]);
  assertEquals(await confirm([HANG, FAIL], []), [[HANG, FAIL], []]);
});
