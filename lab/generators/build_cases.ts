/**
 * Writes the generated case files, or checks that they are up to date.
 *
 *     deno run -A lab/generators/build_cases.ts [--check]
 *
 * @module
 */

import process from "node:process";
import { formatCaseFile, type GeneratedFile } from "./case_text.ts";
import { makeDids } from "./comm_did.ts";
import { makeEd25519Edges } from "./comm_ed25519_edges.ts";
import { makeNegotiations } from "./comm_negotiation.ts";
import { makePolicies } from "./comm_policy.ts";
import { makeProofs } from "./comm_proof.ts";
import { makeProofOptions } from "./comm_proof_options.ts";
import { makeSigning } from "./comm_signing.ts";
import { makeVerification } from "./comm_verification.ts";

const CASES = new URL("../../conformance/cases/", import.meta.url);

/** Creates all generated case files. */
export function makeCaseFiles(): readonly GeneratedFile[] {
  return [
    makeDids(),
    makeEd25519Edges(),
    makeNegotiations(),
    makePolicies(),
    makeProofs(),
    makeProofOptions(),
    makeSigning(),
    makeVerification(),
  ];
}

/** Returns the paths of the case files that are not up to date. */
export async function findStaleFiles(): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const file of makeCaseFiles()) {
    const text = await Deno.readTextFile(new URL(file.path, CASES));
    if (text !== formatCaseFile(file)) stale.push(file.path);
  }
  return stale;
}

if (import.meta.main) {
  if (!process.argv.includes("--check")) {
    for (const file of makeCaseFiles()) {
      await Deno.writeTextFile(new URL(file.path, CASES), formatCaseFile(file));
    }
  }
  const stale = await findStaleFiles();
  for (const path of stale) {
    process.stderr.write(`${path} differs from the output of its generator\n`);
  }
  process.exitCode = stale.length === 0 ? 0 : 1;
}
