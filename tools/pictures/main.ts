/**
 * Writes the pictures in `docs/public/` and the tables of the page about speed: the charts and the
 * tables from the results in `bench/results/`, and the demo picture from the demo's events.
 *
 *     deno task pictures
 *
 * @module
 */

import { runTool } from "../cli.ts";
import { ROOT } from "../members.ts";
import { type PictureFile, renderCharts } from "./bench_charts.ts";
import { type BenchResult, LIMITS } from "./bench_result.ts";
import { renderTables } from "./bench_tables.ts";
import { writeDemoPicture } from "./demo_svg.ts";

/** Reads the committed benchmark results, in the order of the page. */
export async function readResults(): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const name of Object.keys(LIMITS)) {
    try {
      const url = new URL(`bench/results/${name}.json`, ROOT);
      results.push(JSON.parse(await Deno.readTextFile(url)));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return results;
}

/** Returns the charts and the tables of results. */
export function renderResults(results: readonly BenchResult[]): PictureFile[] {
  return [...renderCharts(results), ...renderTables(results)];
}

async function writeCharts(): Promise<void> {
  for (const { path, text } of renderResults(await readResults())) {
    const file = new URL(`docs/${path}`, ROOT);
    await Deno.mkdir(new URL(".", file), { recursive: true });
    await Deno.writeTextFile(file, text);
  }
}

if (import.meta.main) {
  await runTool("pictures", async () => {
    await writeCharts();
    await writeDemoPicture();
    return 0;
  });
}
