import { assertEquals } from "@std/assert";
import type { CaseResult, Verdict } from "../../conformance/kit/verdict.ts";
import { compareRuns, findDoubts, RunWatch } from "./gate.ts";

function result(id: string, verdict: Verdict, more: Partial<CaseResult> = {}): CaseResult {
  return {
    id,
    title: id,
    rev: "00000000",
    verdict,
    level: "MUST",
    isRequired: true,
    ms: 1,
    ...more,
  };
}

function results(verdict: Verdict, count: number): readonly CaseResult[] {
  return Array.from({ length: count }, (_, index) => result(`${verdict} ${index}`, verdict));
}

Deno.test("findDoubts() accepts a run with failures, and with a fifth of crashes and timeouts", () => {
  assertEquals(findDoubts([...results("pass", 1), ...results("fail", 99)]), []);
  assertEquals(
    findDoubts([...results("pass", 8), ...results("crash", 1), ...results("hang", 1)]),
    [],
  );
});

Deno.test("findDoubts() returns every reason why a run proves nothing", () => {
  const runs: readonly (readonly [readonly CaseResult[], readonly string[]])[] = [
    [[], ["no case passed"]],
    [results("fail", 3), ["no case passed"]],
    [
      [...results("pass", 9), ...results("hang", 3)],
      ["3 of 12 tested cases crashed or got no response in time"],
    ],
    [
      [...results("pass", 3), result("a", "fail", { got: "no response, but a line" })],
      ["1 of 4 tested cases crashed or got no response in time"],
    ],
    [
      // Cases that were not tested do not make the share of the crashes smaller.
      [...results("pass", 3), ...results("crash", 1), ...results("untestable", 50)],
      ["1 of 4 tested cases crashed or got no response in time"],
    ],
    [
      [result("a", "pass"), result("b", "not_run", { note: "it stopped" })],
      ["1 case could not be run: it stopped"],
    ],
    [
      [...results("pass", 9), result("b", "fail", { note: "the session could not be opened: no" })],
      ["1 case could not be run: the session could not be opened: no"],
    ],
    [
      [result("a", "pass"), result("mcp/a/b", "kit_fault")],
      ["1 case revealed a fault in the kit: mcp/a/b"],
    ],
    [
      [...results("not_run", 2), ...results("kit_fault", 1), ...results("hang", 1)],
      [
        "2 cases could not be run: unknown reason",
        "1 case revealed a fault in the kit: kit_fault 0",
        "no case passed",
        "1 of 4 tested cases crashed or got no response in time",
      ],
    ],
  ];
  for (const [run, reasons] of runs) assertEquals(findDoubts(run), reasons);
});

Deno.test("RunWatch stops a run at a case that was not run, a fault of the kit, or 30 timeouts in a row", () => {
  const stops = (list: readonly CaseResult[]): number => {
    const watch = new RunWatch();
    return list.findIndex((each) => watch.add(each));
  };
  assertEquals(stops([...results("pass", 2), ...results("not_run", 1)]), 2);
  assertEquals(stops([...results("kit_fault", 1)]), 0);
  assertEquals(stops([...results("hang", 29), ...results("fail", 1), ...results("crash", 29)]), -1);
  // Cases that are left out are no response.
  assertEquals(
    stops([...results("hang", 20), ...results("n/a", 5), ...results("crash", 12)]),
    34,
  );
});

Deno.test("compareRuns() agrees on equal verdicts, and on failures at the same place", () => {
  const at = (path: string, expected = "true"): Partial<CaseResult> => ({
    expected,
    difference: { at: path },
    got: `${Math.random()}`,
  });
  const first = [
    result("a", "pass"),
    result("b", "n/a", { note: "one" }),
    result("c", "fail", at("$.x")),
    result("d", "hang", { expected: "a response within 2000 ms" }),
    result("e", "fail", { transport: "stdio", failedRows: ["one", "two"] }),
    result("f", "fail", { expected: "no violation in 509 messages" }),
  ];
  const second = [
    result("f", "fail", { expected: "no violation in 510 messages" }),
    result("e", "fail", { transport: "stdio", failedRows: ["one", "two"] }),
    result("d", "hang", { expected: "a response within 2013 ms" }),
    result("c", "fail", at("$.x")),
    result("b", "n/a", { note: "two" }),
    result("a", "pass"),
  ];
  assertEquals(compareRuns(first, second), { agreed: first, unstable: [] });
});

Deno.test("compareRuns() calls every other case unstable, also one that passes once", () => {
  const pairs:
    readonly (readonly [CaseResult | undefined, CaseResult | undefined, string, string])[] = [
      [result("a", "fail", { expected: "1" }), result("a", "pass"), "fail: 1", "pass"],
      [
        result("a", "pass"),
        result("a", "hang", { expected: "an answer" }),
        "pass",
        "hang: an answer",
      ],
      [
        result("a", "fail", { expected: "1 at $.x", difference: { at: "$.x" } }),
        result("a", "fail", { expected: "1 at $.y", difference: { at: "$.y" } }),
        "fail: 1 at $.x",
        "fail: 1 at $.y",
      ],
      [
        result("a", "fail", { failedRows: ["x"] }),
        result("a", "fail", { failedRows: ["x", "y"] }),
        "fail: x",
        "fail: x, y",
      ],
      [result("a", "fail"), result("a", "crash"), "fail", "crash"],
      [result("a", "fail"), undefined, "fail", "no result"],
      [undefined, result("a", "untestable"), "no result", "untestable"],
    ];
  for (const [first, second, left, right] of pairs) {
    const list = (each: CaseResult | undefined): readonly CaseResult[] => each ? [each] : [];
    assertEquals(compareRuns(list(first), list(second)), {
      agreed: [],
      unstable: [{ id: "a", runs: [left, right] }],
    });
  }
  const [stdio, http] = ["stdio", "http"].map((transport) => result("a", "pass", { transport }));
  if (stdio === undefined || http === undefined) throw new Error("no results");
  assertEquals(compareRuns([stdio, http], [{ ...stdio, verdict: "fail" }, http]), {
    agreed: [http],
    unstable: [{ id: "a", transport: "stdio", runs: ["pass", "fail"] }],
  });
});
