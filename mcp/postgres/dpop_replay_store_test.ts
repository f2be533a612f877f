import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { postgresDpopReplayStore } from "./dpop_replay_store.ts";
import type { UnknownRecord } from "@parley/internal/json";
import type { SqlClient } from "../shared/sql_client.ts";

const NOW = Date.parse("2026-07-28T12:00:00Z");

/** A database that stores proofs and counts them as the statements do. */
function database() {
  const subjects = new Map<string, unknown>();
  const statements: (readonly [string, readonly unknown[]])[] = [];
  let failure: (() => Promise<never>) | undefined;
  const countBySubject = (): readonly UnknownRecord[] =>
    [...Map.groupBy(subjects.values(), (subject) => subject)]
      .map(([subject, all]) => ({ subject, proofs: all.length }));
  const sql: SqlClient = {
    query: (text, values = []) => {
      statements.push([text, values]);
      const [key, , subject] = values;
      if (text.startsWith("insert")) {
        if (subjects.has(`${key}`)) return Promise.resolve({ rows: [] });
        subjects.set(`${key}`, subject ?? null);
        return Promise.resolve({ rows: [{ key }] });
      }
      if (failure !== undefined) return failure();
      if (text.includes("group by")) {
        const least = Number(values[0]);
        const rows = countBySubject().filter(({ proofs }) => Number(proofs) >= least);
        return Promise.resolve({ rows });
      }
      return Promise.resolve({
        rows: text.includes("count(*)") ? [{ proofs: subjects.size }] : [],
      });
    },
  };
  return {
    sql,
    statements,
    failWith: (failing: (() => Promise<never>) | undefined) => void (failure = failing),
  };
}

function proof(key: string, subject: string) {
  return { key, subject, expiresAt: Date.now() + 60_000 };
}

Deno.test("postgresDpopReplayStore() stores a proof for its remaining time and a margin", async () => {
  using _time = new FakeTime(NOW);
  const { sql, statements } = database();
  const store = postgresDpopReplayStore(sql);
  for (const [key, ms, storedMs] of [["a", 5000, 65_000], ["b", -5000, 60_000]] as const) {
    assertEquals(await store.add({ key, expiresAt: NOW + ms, subject: "ada" }), true);
    assertEquals(statements.at(-1)?.[1], [key, storedMs, '"ada"']);
  }
  assertEquals(await store.add(proof("a", "ada")), false);
});

Deno.test("postgresDpopReplayStore() limits the proofs of a subject to its share", async () => {
  const { sql } = database();
  const store = postgresDpopReplayStore(sql, { maxProofs: 8 });
  const add = (key: string, subject: string, at = store) => at.add(proof(key, subject));
  assertEquals([await add("1", "eve"), await add("2", "eve")], [true, true]);
  assertEquals(await add("3", "eve"), "full");
  assertEquals(await add("4", "ada"), true);
  // Another process counts the proofs of all processes.
  const other = postgresDpopReplayStore(sql, { maxProofs: 8 });
  assertEquals([await add("5", "eve", other), await add("6", "bob", other)], ["full", true]);
});

Deno.test("postgresDpopReplayStore() rejects proofs while the stored proofs cannot be counted", async () => {
  const { sql, failWith } = database();
  const store = postgresDpopReplayStore(sql);
  failWith(() => Promise.reject(new Error("no connection")));
  for (const key of ["a", "b"]) {
    await assertRejects(
      () => Promise.resolve(store.add(proof(key, "ada"))),
      Error,
      "no connection",
    );
  }
  const other = postgresDpopReplayStore(sql);
  using time = new FakeTime();
  failWith(() => new Promise<never>(() => {}));
  const added = Promise.resolve(other.add(proof("c", "ada"))).catch(String);
  await time.tickAsync(10_000);
  assertEquals(await added, "Error: Cannot count DPoP proofs: timed out after 10000 ms");
});
