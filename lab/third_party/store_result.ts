/**
 * Stores the results of a subject, and writes the reports.
 *
 * @module
 */

import { writeText } from "../../conformance/platform/fs.ts";
import { addToHistory } from "./history.ts";
import { formatImplementations } from "./markdown.ts";
import { formatMatrixPage } from "./matrix_html.ts";
import type { SubjectResult } from "./result.ts";
import { toRow } from "./row.ts";
import {
  formatKnownFailures,
  formatResults,
  KNOWN_FAILURES,
  readHistories,
  readResults,
  RESULTS,
  sortResults,
  toEntries,
} from "./stored_results.ts";

const SUMMARY = new URL("../IMPLEMENTATIONS.md", import.meta.url);
const PAGE = new URL("../../docs/public/implementations.html", import.meta.url);

/** Replaces the stored results of a subject, and writes the history, the summary and the page. */
export async function storeResult(result: SubjectResult): Promise<void> {
  const stored = await readResults();
  const list = sortResults([...stored.filter(({ name }) => name !== result.name), result]);
  const [entry] = toEntries([result]);
  if (entry !== undefined) await addToHistory(toRow(entry));
  await writeText(RESULTS, formatResults(list));
  await writeText(KNOWN_FAILURES, formatKnownFailures(list));
  await writeReports();
}

/** Writes the summary and the page from the stored results. */
export async function writeReports(): Promise<void> {
  const entries = toEntries(await readResults());
  await writeText(SUMMARY, formatImplementations(entries));
  await writeText(PAGE, formatMatrixPage(entries, await readHistories(entries)));
}

if (import.meta.main) await writeReports();
