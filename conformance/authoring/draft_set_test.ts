import { assertEquals } from "@std/assert";
import draft from "../requirements/draft.json" with { type: "json" };
import { readSuite } from "../kit/load_cases.ts";
import { caseDigest } from "../runner/case_digest.ts";
import { loadSuite } from "../suite.ts";
import { compareCases, createDraft, formatSet } from "./draft_set.ts";

Deno.test("no case differs from the draft set: run deno task freeze if a change is intended", () => {
  const { format, cases } = createDraft(loadSuite());
  assertEquals(draft.format, format);
  assertEquals(
    draft.cases.map(({ id, level, digest }) => `${id} ${level} ${digest}`),
    cases.map(({ id, level, digest }) => `${id} ${level} ${digest}`),
  );
});

Deno.test("createDraft() sorts the digests of complete cases by case id", () => {
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
  const { cases } = createDraft(suite);
  assertEquals(cases.map(({ id }) => id), ["comm/x/a", "comm/x/b"]);
  assertEquals(cases[0], {
    id: "comm/x/a",
    level: "MUST",
    digest: caseDigest({
      ...header,
      level: "MUST",
      id: "comm/x/a",
      source: "other",
      kind: "vector",
      op: "comm.x",
      rows: [{ name: "", input: { text: "aa" }, expect: { ok: {} } }],
    }),
  });
});

Deno.test("compareCases() names each case that is new, removed or changed", () => {
  const entry = (id: string, digest: string, level: "MUST" | "SHOULD" = "MUST") => ({
    id,
    level,
    digest,
  });
  assertEquals(
    compareCases(
      [entry("a", "1"), entry("b", "1"), entry("c", "1"), entry("e", "1")],
      [entry("b", "1"), entry("c", "2"), entry("d", "1"), entry("e", "2", "SHOULD")],
    ),
    ["a is removed", "c has changed", "d is new", "e has changed from MUST to SHOULD"],
  );
});

Deno.test("formatSet() writes one line for each case", () => {
  assertEquals(
    formatSet({
      cases: [{ id: "comm/a/a", level: "MUST", digest: "0" }, {
        id: "comm/a/b",
        level: "MAY",
        digest: "1",
      }],
    }),
    `{
  "cases": [
    { "id": "comm/a/a", "level": "MUST", "digest": "0" },
    { "id": "comm/a/b", "level": "MAY", "digest": "1" }
  ]
}
`,
  );
});
