/**
 * Writes the generated cases into the case files, or checks that they are up to date.
 *
 *     deno run -A lab/generators/build_cases.ts [--check]
 *
 * @module
 */

import process from "node:process";
import {
  arrangeCases,
  type CaseTexts,
  findDifferences,
  parseCaseFiles,
  replaceCases,
} from "../../conformance/authoring/case_files.ts";
import { readCases, writeCases } from "../../conformance/authoring/case_folder.ts";
import { makeA2aRequests } from "./comm_a2a.ts";
import { makeDids } from "./comm_did.ts";
import { makeEd25519Edges } from "./comm_ed25519_edges.ts";
import { makeSignatures } from "./comm_jws.ts";
import { makeNegotiations } from "./comm_negotiation.ts";
import { makePolicies } from "./comm_policy.ts";
import { makeProofs } from "./comm_proof.ts";
import { makeProofOptions } from "./comm_proof_options.ts";
import { makeSigning } from "./comm_signing.ts";
import { makeVerification } from "./comm_verification.ts";
import { completeCases, type GeneratedArea } from "./generated_area.ts";

/** Creates all generated cases. */
function makeAreas(): readonly GeneratedArea[] {
  return [
    makeA2aRequests(),
    makeDids(),
    makeEd25519Edges(),
    makeNegotiations(),
    makePolicies(),
    makeProofs(),
    makeProofOptions(),
    makeSignatures(),
    makeSigning(),
    makeVerification(),
  ];
}

/**
 * Returns the text of each case file with the generated cases. Cases that are not generated do not
 * change.
 */
function withGeneratedCases(texts: CaseTexts): CaseTexts {
  const areas = makeAreas();
  const names = areas.map(({ area }) => area);
  return arrangeCases(replaceCases(parseCaseFiles(texts), names, areas.flatMap(completeCases)));
}

/** Returns a message for each case file that is not up to date. */
export async function findStaleFiles(): Promise<readonly string[]> {
  const texts = await readCases();
  return findDifferences(texts, withGeneratedCases(texts));
}

if (import.meta.main) {
  if (!process.argv.includes("--check")) await writeCases(withGeneratedCases(await readCases()));
  const stale = await findStaleFiles();
  for (const problem of stale) process.stderr.write(`conformance/cases/${problem}\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
}
