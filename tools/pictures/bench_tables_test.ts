import { assertEquals, assertStringIncludes } from "@std/assert";
import { ROOT } from "../members.ts";
import type { BenchResult } from "./bench_result.ts";
import { renderTables } from "./bench_tables.ts";
import { readResults, renderResults } from "./main.ts";

const MACHINE = {
  processor: "CPU",
  cores: 2,
  memoryGb: 4,
  system: "linux x86_64",
  runtime: "Deno 2.0.0",
};

const COMM: BenchResult = {
  name: "comm",
  date: "2026-01-01",
  machine: MACHINE,
  versions: {},
  tables: [{ title: "sign", unit: "us", values: { "@parley/comm": 10, jose: 10.4, noble: 25 } }],
  growth: [{
    name: "messages waiting",
    work: "a message",
    unit: "us",
    costs: { "1000": 7, "300000": 9.1 },
  }],
  ratios: { message_vs_native: 1.08, message_vs_jose: 2.5, channel_growth_mb: 5 },
};

const MCP: BenchResult = {
  ...COMM,
  name: "mcp",
  growth: [],
  checks: { requests: ["a foreign Host"], accepted: { ours: [], other: ["a foreign Host"] } },
  ratios: {},
};

function partOf(results: readonly BenchResult[], name: string): string {
  return renderTables(results).find(({ path }) => path === `parts/speed-${name}.md`)?.text ?? "";
}

Deno.test("renderTables() shows kept, tied, missed and unmeasured promises with their reasons", () => {
  const part = partOf([COMM], "comm");
  assertStringIncludes(part, "Measured on 2026-01-01 with Deno 2.0.0 on CPU with 2 cores");
  assertStringIncludes(part, "(WebCrypto) | at least 1.1 | 1.08 | **missed (tie)** | Signatures");
  assertStringIncludes(part, "relative to `jose` | at least 1.6 | 2.50 | kept | `jose` is");
  assertStringIncludes(
    part,
    "| memory growth while a channel is in use | at most 4 MB | 5.00 MB | **missed** | Two million",
  );
  assertStringIncludes(
    part,
    "of a channel, relative to `TransformStream` | at least 10 |  | not m",
  );
});

Deno.test("renderTables() shows all values relative to this repository's package", () => {
  assertStringIncludes(
    partOf([COMM], "comm"),
    `| sign | Value | Relative to @parley/comm |
| --- | --- | --- |
| @parley/comm | 10 µs |  |
| jose | 10.4 µs | tie |
| noble | 25 µs | 2.5 times as much |`,
  );
});

Deno.test("renderTables() counts the promises of all benchmarks and lists the missed ones", () => {
  const part = partOf([COMM], "summary");
  const [, all, kept, missed, unknown] =
    /have (\d+) promises.*keep (\d+) of them and miss (\d+)\. They do not contain the other (\d+)/
      .exec(part)?.map(Number) ?? [];
  assertEquals([kept, missed], [1, 2]);
  assertEquals(Number(all), Number(kept) + Number(missed) + Number(unknown));
  assertStringIncludes(
    part,
    "| Signed messages | memory growth while a channel is in use | at most 4 MB | 5.00 MB | **missed** |",
  );
});

Deno.test("renderTables() shows the cost of a unit of work at each size", () => {
  assertStringIncludes(
    partOf([COMM], "growth"),
    "| a message | messages waiting | 1,000: 7 µs<br>300,000: 9.1 µs | 30 % more |",
  );
});

Deno.test("renderTables() shows which servers accept invalid requests", () => {
  assertStringIncludes(
    partOf([MCP], "checks"),
    `| Request with | ours | other |
| --- | --- | --- |
| a foreign Host | rejected | **accepted** |`,
  );
});

Deno.test("renderTables() describes promises without results", () => {
  assertStringIncludes(partOf([], "start"), "not published yet");
  assertStringIncludes(
    partOf([], "start"),
    "| processor time to import `@parley/comm` | at most 3",
  );
  assertStringIncludes(partOf([], "growth"), "not published yet");
  assertStringIncludes(partOf([], "checks"), "not published yet");
});

Deno.test("the page about speed includes every table once", async () => {
  const page = await Deno.readTextFile(new URL("docs/benchmarks.md", ROOT));
  const included = [...page.matchAll(/<!-- @include: \.\/(.+) -->/g)].map(([, path]) => path);
  assertEquals(included.toSorted(), renderTables([]).map(({ path }) => path).toSorted());
});

Deno.test("the committed charts and tables show the committed results", async () => {
  for (const { path, text } of renderResults(await readResults())) {
    const committed = await Deno.readTextFile(new URL(`docs/${path}`, ROOT));
    assertEquals(committed, text, `docs/${path} is outdated: run deno task pictures`);
  }
});
