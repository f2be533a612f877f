/**
 * Replay detection for DPoP proofs in PostgreSQL.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-11.1 RFC 9449, section 11.1}
 * @module
 */

import { assertCount, assertShare } from "@parley/internal/assert-argument";
import { callWithin } from "@parley/internal/call-within";
import type { DpopProof, DpopReplayStore } from "../auth/dpop_replay_cache.ts";
import { optionsReader, withDefault } from "@parley/internal/options";
import { assertSqlClient } from "@parley/internal/sql-client";
import type { SqlClient } from "../shared/sql_client.ts";
import { queryTables } from "./query_tables.ts";

/** Stores a proof until it has expired by the database's clock, which all processes share. */
const ADD = `insert into parley_mcp_dpop_proofs (key, expires_at, subject)
values ($1::text, now() + $2::float8 * interval '1 millisecond', $3::text)
on conflict (key) do nothing returning key`;

const DELETE_EXPIRED = `delete from parley_mcp_dpop_proofs where expires_at <= now()`;

const COUNT = `select count(*)::integer as proofs from parley_mcp_dpop_proofs`;

const SUBJECTS = `select subject, count(*)::integer as proofs from parley_mcp_dpop_proofs
where subject is not null group by subject having count(*) >= $1::bigint`;

/**
 * Additional storage time of a proof, in milliseconds. A process whose clock is up to this time
 * behind that of the process that stored the proof still accepts the proof by its age, so the
 * stored proof must still exist.
 */
const CLOCK_MARGIN_MS = 60_000;

/** Interval at which each process removes expired proofs and counts the others, in milliseconds. */
const COUNT_INTERVAL_MS = 10_000;

/** Time after which a failed count is repeated, and maximum time for a count, in milliseconds. */
const RETRY_MS = 1000;
const COUNT_TIMEOUT_MS = 10_000;

/** Options for {@linkcode postgresDpopReplayStore}. */
export interface PostgresDpopReplayStoreOptions {
  /**
   * Maximum number of stored proofs across all processes, counted every 10 seconds. Beyond
   * `maxProofs`, requests with DPoP are rejected with HTTP 503 until proofs expire.
   *
   * @default {5_000_000}
   */
  readonly maxProofs?: number;
  /**
   * Maximum share of `maxProofs` per subject, greater than 0 and at most 1. Counted every 10
   * seconds, so a subject can exceed its share by the proofs that other processes accept in that
   * time.
   *
   * @default {0.25}
   */
  readonly maxSharePerPrincipal?: number;
}

const readOptions = optionsReader<PostgresDpopReplayStoreOptions>("options")({
  maxProofs: withDefault(5_000_000, assertCount),
  maxSharePerPrincipal: withDefault(0.25, assertShare),
});

/**
 * Creates a DPoP proof store in PostgreSQL, so that a proof accepted by one process is rejected by
 * all others. {@linkcode createTables} creates the store's table. Each request with DPoP executes
 * one SQL statement. Proofs expire by the database's clock, one minute late, so the clocks of the
 * processes may differ by up to one minute. If the stored proofs cannot be counted, proofs are
 * rejected.
 *
 * @param sql Database, such as a `Pool` of the package `pg`.
 * @param options Limit on stored proofs.
 * @throws {TypeError} If `sql` has no method `query`.
 * @throws {RangeError} If `maxProofs` is not a positive integer, or if `maxSharePerPrincipal` is
 * not greater than 0 and at most 1.
 *
 * @example Verify access tokens with DPoP in several processes
 * ```ts
 * import { jwtVerifier } from "@parley/mcp/auth";
 * import { postgresDpopReplayStore, type SqlClient } from "@parley/mcp/postgres";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for a `Pool` of the package `pg`.
 * const sql: SqlClient = { query: () => Promise.resolve({ rows: [] }) };
 * const verify = jwtVerifier({
 *   issuer: "https://login.example.com",
 *   jwksUri: "https://login.example.com/keys",
 *   replayStore: postgresDpopReplayStore(sql),
 * });
 * assertEquals(typeof verify, "function");
 * ```
 */
export function postgresDpopReplayStore(
  sql: SqlClient,
  options: PostgresDpopReplayStoreOptions = {},
): DpopReplayStore {
  assertSqlClient("sql", sql);
  return new PostgresDpopReplayStore(sql, readOptions(options));
}

/** The stored proofs, as counted by this process. */
interface Usage {
  readonly isFull: boolean;
  /**
   * Numbers of stored proofs by subject. Contains the subjects that had used their share when the
   * proofs were counted, and the subjects whose proofs this process has stored since.
   */
  readonly bySubject: Map<string, number>;
}

class PostgresDpopReplayStore implements DpopReplayStore {
  readonly #sql: SqlClient;
  readonly #maxProofs: number;
  readonly #maxOwn: number;
  #usage: Promise<Usage> | undefined;
  /** Time of the next count, as a time of `performance.now()`. */
  #dueAt = 0;

  constructor(
    sql: SqlClient,
    { maxProofs, maxSharePerPrincipal }: Required<PostgresDpopReplayStoreOptions>,
  ) {
    this.#sql = sql;
    this.#maxProofs = maxProofs;
    this.#maxOwn = Math.max(Math.floor(maxProofs * maxSharePerPrincipal), 1);
  }

  async add({ key, expiresAt, subject }: DpopProof): Promise<boolean | "full"> {
    const { isFull, bySubject } = await this.#count();
    const own = JSON.stringify(subject);
    if (isFull || (bySubject.get(own) ?? 0) >= this.#maxOwn) return "full";
    const storedMs = Math.max(expiresAt - Date.now(), 0) + CLOCK_MARGIN_MS;
    const isNew = (await queryTables(this.#sql, ADD, [key, storedMs, own])).length > 0;
    if (isNew) bySubject.set(own, (bySubject.get(own) ?? 0) + 1);
    return isNew;
  }

  /** Returns the usage, which is counted at intervals. Rejects while the count fails. */
  async #count(): Promise<Usage> {
    if (this.#usage !== undefined && performance.now() < this.#dueAt) return await this.#usage;
    this.#dueAt = performance.now() + COUNT_INTERVAL_MS;
    const counting = this.#read();
    // Other requests continue with the previous count.
    this.#usage ??= counting;
    try {
      return await counting;
    } catch (error) {
      this.#dueAt = performance.now() + RETRY_MS;
      throw error;
    } finally {
      this.#usage = counting;
    }
  }

  async #read(): Promise<Usage> {
    const late = (): Error =>
      new Error(`Cannot count DPoP proofs: timed out after ${COUNT_TIMEOUT_MS} ms`);
    const settings = { signal: undefined, timeoutMs: COUNT_TIMEOUT_MS, late };
    return await callWithin(async () => {
      await queryTables(this.#sql, DELETE_EXPIRED);
      const [row] = await queryTables(this.#sql, COUNT);
      const proofs = typeof row?.proofs === "number" ? row.proofs : Infinity;
      // The proofs are counted by subject only if a subject can have used its share.
      const rows = proofs < this.#maxOwn
        ? []
        : await queryTables(this.#sql, SUBJECTS, [this.#maxOwn]);
      const bySubject = new Map(rows.map((each) => [String(each.subject), Number(each.proofs)]));
      return { isFull: proofs >= this.#maxProofs, bySubject };
    }, settings);
  }
}
