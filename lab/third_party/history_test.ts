import { assertEquals } from "@std/assert";
import { appendRow, type HistoryPoint, parseHistory } from "./history.ts";
import { formatHistory } from "./history_chart.ts";
import type { Row } from "./row.ts";

const ROW: Row = {
  program: "a-server",
  version: "1.2.3",
  configuration: "HTTP",
  set: "mcp-2025-11-25.1",
  digest: "3f2a91c0",
  errata: [],
  kit: "0.1.0",
  date: "2026-11-30",
  runs: 2,
  must: 3,
  should: 1,
  differences: 0,
  passed: 90,
  na: 10,
  untestable: 5,
  unstable: 1,
  causes: [{ title: "A batch is accepted.", cases: ["mcp/http/batch"] }],
};

const POINT: HistoryPoint = {
  version: "1.2.3",
  configuration: "HTTP",
  set: "mcp-2025-11-25.1",
  digest: "3f2a91c0",
  kit: "0.1.0",
  date: "2026-11-30",
  must: 3,
  should: 1,
  passed: 90,
};

Deno.test("appendRow() adds one line per result, and parseHistory() reads them", () => {
  const one = appendRow("", ROW);
  assertEquals(one.split("\n").length, 2);
  assertEquals(one.includes("a-server"), false);
  assertEquals(appendRow(one, ROW), one);
  const two = appendRow(one, { ...ROW, date: "2026-12-01", must: 2 });
  assertEquals(parseHistory(two), [POINT, { ...POINT, date: "2026-12-01", must: 2 }]);
});

Deno.test("parseHistory() omits lines that are not readable", () => {
  const line = appendRow("", ROW);
  assertEquals(parseHistory(`no JSON\n[]\n{"must":"3"}\n${line}`), [POINT]);
  assertEquals(parseHistory(""), []);
});

Deno.test("formatHistory() joins only points of one set, and needs two columns", () => {
  const lines = (points: readonly HistoryPoint[]): readonly string[] =>
    [...(formatHistory(points)?.text ?? "").matchAll(/points="([^"]*)"/g)].map(([, line = ""]) =>
      line
    );
  assertEquals(formatHistory([POINT, { ...POINT, configuration: "stdio" }]), undefined);
  const later = { ...POINT, date: "2026-12-01", must: 0 };
  // The most failures are at the top (14), none at the bottom (84).
  assertEquals(lines([POINT, later]), ["34,14 184,84"]);
  assertEquals(lines([POINT, { ...later, set: "mcp-2025-11-25.2" }]), []);
  assertEquals(lines([POINT, { ...later, digest: "00000000" }]), []);
  assertEquals(lines([POINT, { ...later, configuration: "stdio" }]), []);
  const stdio = { ...POINT, configuration: "stdio", must: 0 };
  assertEquals(lines([POINT, stdio, later, { ...later, configuration: "stdio" }]), [
    "34,14 184,84",
    "34,84 184,84",
  ]);
});
