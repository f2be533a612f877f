import { assert, assertEquals } from "@std/assert";
import { MessageChecker } from "./message_checker.ts";
import { TABLES } from "./testdata/all_rows.ts";
import { commonChanges } from "./testdata/envelope_rows.ts";
import { type Change, type MessageRow, MISSING } from "./testdata/message_row.ts";
import { changeMessage } from "./testdata/change_message.ts";
import { MESSAGE_VERSIONS, type MessageVersion } from "./versions.ts";

for (const [name, rows] of Object.entries(TABLES)) {
  Deno.test(`findProblems() accepts and rejects the table of ${name}`, () => {
    const checker = new MessageChecker();
    for (const version of MESSAGE_VERSIONS) {
      for (const row of rows) checkRow(checker, row, version);
    }
  });
}

function checkRow(checker: MessageChecker, row: MessageRow, version: MessageVersion): void {
  const { from, message, method, versions: [first, last] = ["2024-11-05", "2026-07-28"] } = row;
  if (version < first || version > last) return;
  const origin = { version, from, ...(method === undefined ? {} : { method }) };
  const label = `${version} ${from} ${method ?? String(message.method)}`;
  assertEquals(checker.findProblems(message, origin), [], label);
  for (const change of [...row.wrong, ...commonChanges(row)]) {
    const [path, value] = change;
    const problems = checker.findProblems(changeMessage(message, path, value), origin);
    const changed = `${label}: ${path} = ${value === MISSING ? "missing" : JSON.stringify(value)}`;
    if (!applies(change, version)) {
      assertEquals(problems, [], changed);
      continue;
    }
    assert(problems.length > 0, changed);
    const places = problems.map((problem) => problem.slice(0, problem.indexOf(": ")));
    assert(places.some((place) => isRelated(place, `$.${path}`)), `${changed}: ${problems}`);
  }
}

/** Whether one of two paths leads to the other. */
function isRelated(place: string, changed: string): boolean {
  return place.startsWith(changed) || changed.startsWith(place);
}

function applies([, , first, last]: Change, version: MessageVersion): boolean {
  return (first === undefined || version >= first) && (last === undefined || version <= last);
}
