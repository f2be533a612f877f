/**
 * Writes the digests of all cases to the draft set, and prints the cases that differ from the
 * previous set.
 *
 *     deno task freeze
 *
 * @module
 */

import process from "node:process";
import { loadSuite } from "../suite.ts";
import { type CaseDigests, compareDigests, digestCases, formatDigests } from "./draft_set.ts";

const DRAFT = new URL("../requirements/draft.json", import.meta.url);

if (import.meta.main) {
  const set: CaseDigests = JSON.parse(await Deno.readTextFile(DRAFT));
  const digests = digestCases(loadSuite());
  for (const difference of compareDigests(set, digests)) process.stdout.write(`${difference}\n`);
  await Deno.writeTextFile(DRAFT, formatDigests(digests));
}
