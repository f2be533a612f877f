import { assertEquals, assertStringIncludes } from "@std/assert";
import { ROOT } from "../members.ts";
import { type BenchResult, renderResults, RESULTS_PAGE } from "./bench_charts.ts";
import { readResults } from "./main.ts";
import { PROMISE_TEXTS } from "./promises.ts";

const RESULT: BenchResult = {
  name: "comm",
  date: "2026-01-01",
  machine: {
    processor: "CPU",
    cores: 2,
    memoryGb: 4,
    system: "linux x86_64",
    runtime: "Deno 2.0.0",
  },
  versions: { jose: "1.0.0" },
  tables: [
    {
      title: "sign",
      unit: "/s",
      values: { "@parley/comm": 100, jose: 98, "WebCrypto alone": 200 },
    },
    { title: "guard", unit: "/s", values: { "ReplayGuard, full": 1, "ReplayGuard, filling": 1 } },
  ],
  ratios: { speed: 1.02, growth: 5, channel_growth_mb: 3 },
  promises: { speed: 1, growth: -4, channel_growth_mb: -4 },
};

Deno.test("renderResults() draws tables with a package of this repository, and reports missed promises", () => {
  const [chart, page] = renderResults([RESULT]);
  assertEquals([chart?.path, page?.path], ["public/bench-comm.svg", RESULTS_PAGE]);
  assertStringIncludes(chart?.text ?? "", "jose 98 (tie)");
  assertEquals(chart?.text.includes("guard"), false);
  assertStringIncludes(page?.text ?? "", "| `speed` | at least 1 | 1.02 | yes |");
  assertStringIncludes(page?.text ?? "", "| `growth` | at most 4 | 5.00 | **no** |");
  assertStringIncludes(
    page?.text ?? "",
    "| memory growth while a channel is in use | at most 4 MB | 3.00 MB | yes |",
  );
});

Deno.test("every promise in the committed results has a description", async () => {
  const results = await readResults();
  const names = results.flatMap(({ promises }) => Object.keys(promises));
  assertEquals(names.toSorted(), Object.keys(PROMISE_TEXTS).toSorted());
});

Deno.test("the committed charts show the committed results", async () => {
  for (const { path, text } of renderResults(await readResults())) {
    const committed = await Deno.readTextFile(new URL(`docs/${path}`, ROOT));
    assertEquals(committed, text, `docs/${path} is outdated: run deno task pictures`);
  }
});
