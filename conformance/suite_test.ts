import { assert, assertEquals } from "@std/assert";
import type { WireStep } from "./kit/case.ts";
import { isObject, readJson } from "./kit/json.ts";
import { parseCaseFile } from "./kit/load_cases.ts";
import { loadSuite } from "./suite.ts";

const CASES = new URL("./cases/", import.meta.url);

async function listFiles(folder: URL): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const url = new URL(isDirectory ? `${name}/` : name, folder);
    if (isDirectory) found.push(...await listFiles(url));
    else if (name.endsWith(".json")) found.push(url.pathname.slice(CASES.pathname.length));
  }
  return found.sort();
}

Deno.test("suite.ts imports every file in cases/, sorted by path", async () => {
  const list = await Deno.readTextFile(new URL("./suite.ts", import.meta.url));
  const imported = [...list.matchAll(/from "\.\/cases\/([^"]+)"/g)].map(([, path]) => path ?? "");
  const keyed = [...list.matchAll(/^ {2}\["([^"]+)"/gm)].map(([, path]) => path ?? "");
  assertEquals(imported, await listFiles(CASES));
  assertEquals(keyed, imported);
});

Deno.test("every file in cases/ is a valid case file", async () => {
  let count = 0;
  for (const path of await listFiles(CASES)) {
    count += parseCaseFile(await Deno.readTextFile(new URL(path, CASES)), path).cases.length;
  }
  assertEquals(count, loadSuite().size);
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
