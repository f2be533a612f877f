import { assert, assertEquals, assertThrows } from "@std/assert";
import { sha256Hex } from "../platform/crypto.ts";
import { loadSuite } from "../suite.ts";
import { KitError } from "./error.ts";
import { protocolVersionOf, REQUIREMENT_SETS } from "./requirements.ts";
import { selectCases } from "./select_cases.ts";

/** First digits of the SHA-256 hashes of the sets. A published set must not change. */
const DIGESTS: Readonly<Record<string, string>> = {
  "comm-0.1.0": "f3ff1044f65f3328",
  "runtime-0.1.0": "1c3a226c33603e47",
  "mcp-2024-11-05": "d51eabf78808dbf3",
  "mcp-2025-03-26": "4c297d313bd0c39d",
  "mcp-2025-06-18": "9ddcd75dde557d8e",
  "mcp-2025-11-25": "c147d9e6a7632eb9",
  "mcp-2026-07-28": "d112b42c46b8ef53",
};

const CASES = [...loadSuite().values()];

Deno.test("a requirement set never changes, and all of its cases exist", async () => {
  assertEquals([...REQUIREMENT_SETS.keys()].toSorted(), Object.keys(DIGESTS).toSorted());
  const known = new Set(CASES.map(({ id }) => id));
  for (const [name, ids] of REQUIREMENT_SETS) {
    const file = new URL(`../requirements/${name}.json`, import.meta.url);
    const digest = sha256Hex(await Deno.readTextFile(file)).slice(0, 16);
    assertEquals(digest, DIGESTS[name], name);
    assertEquals([...ids].filter((id) => !known.has(id)), [], name);
    assert(ids.size > 300, name);
  }
});

Deno.test("selectCases() selects the cases of requirement sets, or the cases that are in none", () => {
  const comm = CASES.filter(({ id }) => id.startsWith("comm/"));
  const first = comm.find(({ id }) => id === "comm/canonical-json/sample");
  assert(first !== undefined);
  const fresh = { ...first, id: "comm/new/case" };
  const cases = [fresh, ...comm];
  const select = (...requirements: readonly string[]): readonly string[] =>
    selectCases(cases, { requirements }).map(({ id }) => id);
  const frozen = select("comm-0.1.0");
  assertEquals([frozen.includes(first.id), frozen.includes(fresh.id)], [true, false]);
  const open = select("comm-unreleased");
  assertEquals([open.includes(first.id), open.includes(fresh.id)], [false, true]);
  assertEquals(select("comm-0.1.0", "comm-unreleased").length, cases.length);
  assertEquals(select("runtime-unreleased"), []);
});

Deno.test("selectCases() throws if a requirement set is unknown", () => {
  const error = assertThrows(
    () => selectCases(CASES, { requirements: ["comm-9.9.9"] }),
    KitError,
    'Cannot use requirements "comm-9.9.9": the value must be one of comm-0.1.0, ',
  );
  assertEquals(error.code, "usage");
});

Deno.test("protocolVersionOf() returns the protocol version that sets of mcp share", () => {
  assertEquals(protocolVersionOf(["comm-0.1.0", "mcp-2026-07-28"]), "2026-07-28");
  assertEquals(protocolVersionOf(["mcp-2026-07-28", "mcp-2025-11-25"]), undefined);
  assertEquals(protocolVersionOf(["mcp-unreleased", "comm-0.1.0"]), undefined);
});
