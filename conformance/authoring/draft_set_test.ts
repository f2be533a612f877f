import { assertEquals } from "@std/assert";
import draft from "../requirements/draft.json" with { type: "json" };
import { readSuite } from "../kit/load_cases.ts";
import { caseDigest } from "../runner/case_digest.ts";
import { loadSuite } from "../suite.ts";
import { compareDigests, digestCases } from "./draft_set.ts";

Deno.test("no case differs from the draft set: run deno task freeze if a change is intended", () => {
  assertEquals(compareDigests(draft, digestCases(loadSuite())), []);
});

Deno.test("digestCases() sorts the digests by case id, and returns the digests of complete cases", () => {
  const header = { title: "t", level: "MUST", basis: "spec", clauses: ["COMM-X-1"], why: "w" };
  const suite = readSuite(
    new Map([["f", {
      kit: 1,
      defaults: { source: "s", kind: "vector" },
      cases: [
        { ...header, id: "comm/x/b", op: "comm.x", input: {}, expect: { ok: {} } },
        {
          ...header,
          id: "comm/x/a",
          op: "comm.x",
          input: { text: { $repeat: ["a", 2] } },
          expect: { ok: {} },
        },
      ],
    }]]),
  );
  const digests = digestCases(suite);
  assertEquals(Object.keys(digests), ["comm/x/a", "comm/x/b"]);
  assertEquals(
    digests["comm/x/a"],
    caseDigest({
      ...header,
      level: "MUST",
      id: "comm/x/a",
      source: "other",
      kind: "vector",
      op: "comm.x",
      rows: [{ name: "", input: { text: "aa" }, expect: { ok: {} } }],
    }),
  );
});

Deno.test("compareDigests() names each case that is new, removed or changed", () => {
  assertEquals(compareDigests({ a: "1", b: "1", c: "1" }, { b: "1", c: "2", d: "1" }), [
    "a is removed",
    "c has changed",
    "d is new",
  ]);
});
