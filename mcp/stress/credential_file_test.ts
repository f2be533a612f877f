/**
 * Processes that share a credential file and are killed. A lock must never have two holders, must
 * never be lost, and no value may be lost.
 */

import { assert, assertEquals } from "@std/assert";
import { propertyRuns } from "../../tools/testing/property.ts";

const PROGRAM = new URL("testdata/credential_file.ts", import.meta.url).pathname;

Deno.test("processes that are killed never share or lose the lock of a credential file", async () => {
  const { numRuns: kills } = propertyRuns(4);
  const args = ["run", "--quiet", "--no-check", "-A", PROGRAM, `${kills}`];
  const { success, stdout, stderr } = await new Deno.Command("deno", { args }).output();
  assert(success, new TextDecoder().decode(stderr));
  const { sections, count, twoHolders, files } = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals(twoHolders, false);
  assert(sections >= 3 * kills, `${sections} sections`);
  // A process that was killed may have saved the count without printing the line.
  assert(count >= sections && count <= sections + 3 * kills, `${sections}, saved ${count}`);
  // One file for each of the two locks, and those that the last killed processes have left behind.
  assert(files <= 2 + 2 * 3, `${files} files`);
});
