import { assert, assertEquals } from "@std/assert";
import { readCaseFiles } from "./case_files.ts";
import type { WireStep } from "./kit/case.ts";
import { isObject, readJson } from "./kit/json.ts";
import { readCaseFile } from "./kit/load_cases.ts";
import { loadSuite } from "./suite.ts";

Deno.test("every case file of the kit is valid, and each case of the kit is in one file", () => {
  let count = 0;
  for (const [path, value] of readCaseFiles()) {
    const result = readCaseFile(value);
    assert(result.ok, `${path}: ${result.ok ? "" : result.reason}`);
    count += result.value.cases.length;
  }
  assertEquals(count, loadSuite().size);
});

Deno.test("no case of the kit was recorded from a server", () => {
  const recorded = [...loadSuite().values()].filter(({ basis, id }) =>
    basis === "recorded" || id.includes("/recorded/")
  );
  assertEquals(recorded.map(({ id }) => id), []);
});

Deno.test("every vector case that expects only errors has a control", () => {
  for (const { kind, id, control, ...rest } of loadSuite().values()) {
    if (kind !== "vector" || control !== undefined || !("rows" in rest)) continue;
    const negative = rest.rows.every(({ expect }) => "error" in expect);
    assert(!negative, `${id} expects only errors but has no control`);
  }
});

/** First protocol version whose schema allows an error response without an id. */
const ERRORS_WITHOUT_ID = "2025-11-25";

function hasReadableId(text: string): boolean {
  const value = readJson(text)?.value;
  return isObject(value) && ["string", "number"].includes(typeof value.id);
}

/** Returns true if a step sends unparseable input whose response is an error without an id. */
function wantsErrorWithoutId(steps: readonly WireStep[]): boolean {
  return steps.some((step, index) => {
    if ("http" in step) {
      const { bodyText } = step.http;
      return bodyText !== undefined && !hasReadableId(bodyText) &&
        JSON.stringify(step.expect).includes('"error"');
    }
    const next = steps[index + 1] ?? { silence: 0 };
    return "sendText" in step && !hasReadableId(step.sendText) && "receive" in next &&
      isObject(next.receive) && "error" in next.receive;
  });
}

Deno.test("no case requires an error response without an id before protocol version 2025-11-25", () => {
  const asked = [...loadSuite().values()].filter((each) =>
    each.kind === "exchange" && each.role === "server" && wantsErrorWithoutId(each.steps)
  );
  assert(asked.length > 5);
  const early = asked.filter(({ revisions }) => (revisions?.from ?? "") < ERRORS_WITHOUT_ID);
  assertEquals(early.map(({ id }) => id), []);
});

Deno.test("every logging case requires the logging capability, its absence or a fixture", () => {
  const unbound = [...loadSuite().values()].filter(({ id, needs = {} }) =>
    id.startsWith("mcp/logging/") && needs.capabilities?.includes("logging") !== true &&
    needs.undeclared?.includes("logging") !== true && needs.fixtures === undefined
  );
  assertEquals(unbound.map(({ id }) => id), []);
});
