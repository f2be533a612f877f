import { assertEquals, assertNotEquals } from "@std/assert";
import type { Case, VectorCase } from "../kit/case.ts";
import { caseDigest, caseRevision } from "./case_digest.ts";

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
  rows: [{ name: "", input: { a: 1, b: 2 }, expect: { ok: { text: "\u00e9" } } }],
};

Deno.test("caseDigest() is the beginning of the SHA-256 hash of the canonical JSON of the normative members", () => {
  // The hash was calculated with hashlib of Python.
  assertEquals(caseDigest(CASE), "272b3a91856446bf855b5c8136e2aee7");
});

Deno.test("caseDigest() does not change with the members that explain a case, names of rows or member order", () => {
  const same: readonly Partial<VectorCase>[] = [
    { title: "other", why: "other", source: "other", clauses: [], refs: ["https://a.example"] },
    { flags: ["a"], aliases: ["comm/x/z"], since: "1.0", until: "1.1", file: "a.json" },
    { intermediate: { a: 1 } },
    { rows: [{ name: "b", input: { b: 2, a: 1 }, expect: { ok: { text: "\u00e9" } } }] },
  ];
  for (const members of same) {
    assertEquals(caseDigest({ ...CASE, ...members }), caseDigest(CASE), JSON.stringify(members));
  }
});

Deno.test("caseDigest() changes with each member that can change a verdict", () => {
  const changed: readonly Partial<VectorCase>[] = [
    { id: "comm/x/z" },
    { level: "SHOULD" },
    { basis: "decision" },
    { control: "comm/x/z" },
    { needs: { features: ["a"] } },
    { revisions: { from: "2025-11-25" } },
    { timing: { deadlineMs: 1 } },
    { isolation: "process" },
    { op: "comm.y" },
    { rows: [{ name: "", input: { a: 1, b: 3 }, expect: { ok: { text: "\u00e9" } } }] },
    { rows: [{ name: "", input: { a: 1, b: 2 }, expect: { error: {} } }] },
  ];
  const digests = changed.map((members) => caseDigest({ ...CASE, ...members }));
  assertEquals(new Set([caseDigest(CASE), ...digests]).size, changed.length + 1);
});

Deno.test("caseDigest() changes with the order of the steps", () => {
  const { op: _op, rows: _rows, ...header } = CASE;
  const steps = [{ do: "comm.a" }, { do: "comm.b" }];
  const script: Case = { ...header, kind: "script", steps };
  assertNotEquals(caseDigest({ ...script, steps: steps.toReversed() }), caseDigest(script));
});

Deno.test("caseRevision() is the beginning of the digest", () => {
  assertEquals(caseRevision(CASE), caseDigest(CASE).slice(0, 8));
});
