/**
 * Writes the pictures in `docs/public/`: the charts and the section of the benchmark page from the
 * results in `bench/results/`, and the demo picture from the demo's events.
 *
 *     deno task pictures
 *
 * @module
 */

import { runTool } from "../cli.ts";
import { ROOT } from "../members.ts";
import { type BenchResult, renderResults } from "./bench_charts.ts";
import { writeDemoPicture } from "./demo_svg.ts";

/** Order of the results on the page. */
const NAMES = ["runtime", "mcp", "comm", "engines", "start"];

/** Reads the committed benchmark results. */
export async function readResults(): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const name of NAMES) {
    try {
      const url = new URL(`bench/results/${name}.json`, ROOT);
      results.push(JSON.parse(await Deno.readTextFile(url)));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return results;
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
