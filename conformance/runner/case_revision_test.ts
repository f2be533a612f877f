import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { VectorCase } from "../kit/case.ts";
import { caseRevision } from "./case_revision.ts";

const CASE: VectorCase = {
  id: "comm/x/y",
  kind: "vector",
  title: "t",
  level: "MUST",
  basis: "spec",
  clauses: ["COMM-X-1"],
  why: "w",
  source: "s",
  op: "comm.x",
  rows: [{ name: "", input: { a: 1, b: 2 }, expect: { ok: {} } }],
};

Deno.test("caseRevision() changes with the level or rows of a case, but not with its title or member order", () => {
  const mark = caseRevision(CASE);
  assert(/^[0-9a-f]{8}$/.test(mark));
  assertEquals(caseRevision({ ...CASE, title: "other", why: "other", clauses: [] }), mark);
  const turned = [{ name: "", input: { b: 2, a: 1 }, expect: { ok: {} } }];
  assertEquals(caseRevision({ ...CASE, rows: turned }), mark);
  assertNotEquals(caseRevision({ ...CASE, level: "SHOULD" }), mark);
  const other = [{ name: "", input: { a: 1, b: 3 }, expect: { ok: {} } }];
  assertNotEquals(caseRevision({ ...CASE, rows: other }), mark);
});
