/**
 * Writes the digests of all cases to the draft set, and prints the cases that differ from the
 * previous draft. Fails if a released set or one of its cases has changed.
 *
 *     deno task freeze
 *     deno task freeze --check              changes nothing, and fails if a set is not as it must be
 *     deno task freeze --release FAMILY...  writes the next released set of each family
 *
 * @module
 */

import process from "node:process";
import { KIT_VERSION } from "../runner/version.ts";
import { loadSuite } from "../suite.ts";
import { DRAFT_FILE, findSetProblems } from "./check_sets.ts";
import { compareCases, createDraft } from "./draft_set.ts";
import { freezeDraft, type Frozen, readDraft, releaseSet } from "./freeze_sets.ts";
import {
  isSetModuleCurrent,
  readDraftBefore,
  readSetFiles,
  readSetHistory,
  writeSetFiles,
} from "./set_folder.ts";
import { findHistoryProblems } from "./set_history.ts";

/** Time for which a case must not have changed before it is released. */
const MATURE_DAYS = 14;
const DAY_MS = 86_400_000;

async function main(args: readonly string[]): Promise<number> {
  const [flag, ...families] = args;
  try {
    if (flag === undefined) return await write(freezeDraft(await readSetFiles(), loadSuite()));
    if (flag === "--check" && families.length === 0) return await check();
    if (flag === "--release" && families.length > 0) return await release(families);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
  process.stderr.write("Usage: freeze.ts [--check | --release FAMILY...]\n");
  return 2;
}

async function write({ writes, lines }: Frozen): Promise<number> {
  await writeSetFiles(writes);
  for (const line of lines) process.stdout.write(`${line}\n`);
  return 0;
}

async function release(families: readonly string[]): Promise<number> {
  const now = Date.now();
  const before = new Date(now - MATURE_DAYS * DAY_MS).toISOString();
  const facts = {
    kit: KIT_VERSION,
    frozen: new Date(now).toISOString().slice(0, 10),
    mature: readDraft(await readDraftBefore(before)),
  };
  const suite = loadSuite();
  for (const family of families) {
    await write(releaseSet(family, { files: await readSetFiles(), suite, facts }));
  }
  return 0;
}

async function check(): Promise<number> {
  const files = await readSetFiles();
  const suite = loadSuite();
  const draft = compareCases(readDraft(files.get(DRAFT_FILE)).cases, createDraft(suite).cases);
  const problems = [
    ...findSetProblems(files, suite),
    ...findHistoryProblems(await readSetHistory(), files),
    ...(await isSetModuleCurrent(files) ? [] : ["kit/released_sets.ts does not import the sets"]),
    ...draft,
  ];
  for (const problem of problems) process.stderr.write(`conformance/requirements: ${problem}\n`);
  if (draft.length > 0) process.stderr.write("Run deno task freeze.\n");
  return problems.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
