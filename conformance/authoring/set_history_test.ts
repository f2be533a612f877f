import { assertEquals } from "@std/assert";
import { findHistoryProblems } from "./set_history.ts";

const COMMIT = "0123456789abcdef";

function errata(...list: readonly unknown[]): string {
  return JSON.stringify({ set: "comm.1", errata: list });
}

Deno.test("findHistoryProblems() finds a released set that was changed or removed", () => {
  const history = [
    { commit: COMMIT, name: "comm.1.json", text: '{ "name": "comm.1" }\n' },
    { commit: COMMIT, name: "comm.2.json", text: '{ "name": "comm.2" }\n' },
  ];
  const now = (one: string, other: string) =>
    findHistoryProblems(history, new Map([["comm.1.json", one], ["comm.2.json", other]]));
  assertEquals(now('{ "name": "comm.1" }\n', '{ "name": "comm.2" }\n'), []);
  assertEquals(now('{ "name": "comm.1", "digest": "1" }\n', '{ "name": "comm.2" }\n'), [
    "comm.1.json has changed since commit 01234567",
  ]);
  assertEquals(findHistoryProblems(history, new Map()), [
    "comm.1.json is removed since commit 01234567",
    "comm.2.json is removed since commit 01234567",
  ]);
});

Deno.test("findHistoryProblems() accepts errata that are added or ended, and nothing else", () => {
  const one = { id: "comm.1-e1", effect: "disputed" };
  const other = { id: "comm.1-e2", effect: "withdrawn" };
  const name = "comm.1.errata.json";
  const history = [{ commit: COMMIT, name, text: errata(one) }];
  const rows: readonly (readonly [string, boolean])[] = [
    [errata(one), true],
    [errata(one, other), true],
    [errata({ ...one, ended: { date: "2027-01-02" } }, other), true],
    [errata(other), false],
    [errata({ ...one, effect: "withdrawn" }), false],
    [errata({ ...one, effect: "withdrawn", ended: { date: "2027-01-02" } }), false],
    ["", false],
  ];
  for (const [text, isAllowed] of rows) {
    assertEquals(
      findHistoryProblems(history, new Map([[name, text]])),
      isAllowed ? [] : [`${name}: comm.1-e1 is removed or changed since commit 01234567`],
      text,
    );
  }
});
