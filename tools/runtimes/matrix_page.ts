/**
 * Tests the page with the results for third-party implementations in Chromium.
 *
 * @module
 */

import type { Browser } from "playwright-core";
import { formatMatrixPage } from "../../lab/third_party/matrix_html.ts";
import type { HistoryPoint } from "../../lab/third_party/history.ts";
import type { ReportEntry } from "../../lab/third_party/report_entry.ts";
import { readHistories, readResults, toEntries } from "../../lab/third_party/stored_results.ts";
import { ToolError } from "../cli.ts";
import { auditPage, HOSTILE } from "./audit_page.ts";

/**
 * Opens the page with the stored results, and a page whose subjects have hostile names and output.
 */
export async function useMatrixPage(browser: Browser): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "parley-matrix-" });
  try {
    const stored = toEntries(await readResults());
    const hostile = [hostileEntry("comm"), hostileEntry("mcp")];
    const histories = new Map([...await readHistories(stored), ["hostile-mcp", HOSTILE_HISTORY]]);
    for (const [name, entries] of Object.entries({ stored, hostile })) {
      const path = `${folder}/${name}.html`;
      await Deno.writeTextFile(path, formatMatrixPage(entries, histories));
      const url = `file://${path}`;
      await auditPage(browser, url, async (page) => {
        const cells = page.locator("table.matrix td a");
        if (await cells.count() === 0) throw new ToolError(`${url} has no failing area`);
        const target = await cells.first().getAttribute("href");
        const found = page.locator(`[id="${target?.slice(1)}"]`);
        if (await found.count() !== 1) throw new ToolError(`${url} has no case for ${target}`);
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const HOSTILE_HISTORY: readonly HistoryPoint[] = ["2026-01-01", "2026-01-02"].map((date) => ({
  ...{ date, version: HOSTILE, configuration: HOSTILE, set: HOSTILE, digest: HOSTILE },
  ...{ kit: HOSTILE, must: 1, should: 0, passed: 1 },
}));

/** Creates a subject with hostile text in as many fields as possible. */
function hostileEntry(library: "comm" | "mcp"): ReportEntry {
  const failing = {
    verdict: "fail",
    basis: "mcp@2025-11-25",
    expected: HOSTILE,
    got: HOSTILE,
  } as const;
  return {
    subject: {
      name: `hostile-${library}`,
      title: `${library} ${HOSTILE}`,
      configuration: HOSTILE,
      package: HOSTILE,
      version: HOSTILE,
      language: HOSTILE,
      library,
      access: { kind: "stdio", command: HOSTILE },
      revision: HOSTILE,
      setup: HOSTILE,
      notes: [{ cases: [`${library}/area/*`], text: HOSTILE }],
      maintainerNote: { text: HOSTILE, by: HOSTILE, date: HOSTILE },
    },
    result: {
      name: `hostile-${library}`,
      version: HOSTILE,
      says: HOSTILE,
      set: HOSTILE,
      digest: HOSTILE,
      errata: [HOSTILE],
      kit: HOSTILE,
      date: HOSTILE,
      runs: 2,
      passed: 1,
      areas: {
        [`${library}/area`]: {
          passed: 1,
          must: 1,
          should: 0,
          differences: 0,
          notApplicable: 0,
          untestable: 1,
          unstable: 1,
        },
      },
      red: [{ ...failing, id: `${library}/area/a`, level: "MUST" }],
      unstable: [{ id: `${library}/area/b`, transport: HOSTILE, runs: [HOSTILE, HOSTILE] }],
      leftOut: [{ verdict: "untestable", reason: HOSTILE, count: 1 }],
    },
    isOlder: true,
    disputed: [{
      ...{ ...failing, id: `${library}/area/c`, level: "MUST" },
      erratum: { id: HOSTILE, reason: HOSTILE, issue: `https://example.org/${HOSTILE}` },
    }],
  };
}
