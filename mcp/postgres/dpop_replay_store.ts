/**
 * Replay detection for DPoP proofs in PostgreSQL.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-11.1 RFC 9449, section 11.1}
 * @module
 */

import { assertCount } from "@parley/internal/assert-argument";
import type { DpopReplayStore } from "../auth/dpop_replay_cache.ts";
import { optionsReader, withDefault } from "@parley/internal/options";
import { assertSqlClient, queryTables, type SqlClient } from "./sql_client.ts";

/** Stores a proof until it has expired by the database's clock, which all processes share. */
const ADD = `insert into parley_mcp_dpop_proofs (key, expires_at)
values ($1::text, now() + $2::float8 * interval '1 millisecond')
on conflict (key) do nothing returning key`;

const DELETE_EXPIRED = `delete from parley_mcp_dpop_proofs where expires_at <= now()`;

const COUNT = `select count(*)::integer as proofs from parley_mcp_dpop_proofs`;

/**
 * Additional storage time of a proof, in milliseconds. A process whose clock is up to this time
 * behind that of the process that stored the proof still accepts the proof by its age, so the
 * stored proof must still exist.
 */
const CLOCK_MARGIN_MS = 60_000;

/** Interval at which each process removes expired proofs, in milliseconds. */
const CLEAN_UP_MS = 10_000;

/** Options for {@linkcode postgresDpopReplayStore}. */
export interface PostgresDpopReplayStoreOptions {
  /**
   * Maximum number of stored proofs across all processes, counted every 10 seconds. Beyond
   * `maxProofs`, requests with DPoP are rejected with HTTP 503 until proofs expire.
   *
   * @default {5_000_000}
   */
  readonly maxProofs?: number;
}

const readOptions = optionsReader<PostgresDpopReplayStoreOptions>("options")({
  maxProofs: withDefault(5_000_000, assertCount),
});

/**
 * Creates a DPoP proof store in PostgreSQL, so that a proof accepted by one process is rejected by
 * all others. {@linkcode createTables} creates the store's table. Each request with DPoP executes
 * one SQL statement. Proofs expire by the database's clock, one minute late, so the clocks of the
 * processes may differ by up to one minute. The limit is shared by all principals, so limit the
 * request rate per principal in front of the server.
 *
 * @param sql Access to the database.
 * @param options Limit on stored proofs.
 * @throws {TypeError} If `sql` lacks a required function.
 * @throws {RangeError} If `maxProofs` is not a positive integer.
 *
 * @example Verify access tokens with DPoP in several processes
 * ```ts
 * import { jwtVerifier } from "@parley/mcp/auth";
 * import { postgresDpopReplayStore, type SqlClient } from "@parley/mcp/postgres";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for `fromPostgres(postgres("postgres://localhost/mcp"))`.
 * const sql: SqlClient = {
 *   query: () => Promise.resolve([]),
 *   listen: () => Promise.resolve(() => Promise.resolve()),
 * };
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
  assertSqlClient(sql);
  const { maxProofs } = readOptions(options);
  let cleanUpAt = 0;
  let isFull = false;
  const cleanUp = async (): Promise<void> => {
    await queryTables(sql, DELETE_EXPIRED);
    const [row] = await queryTables(sql, COUNT);
    isFull = !(typeof row?.proofs === "number" && row.proofs < maxProofs);
  };
  return {
    add: async ({ key, expiresAt }) => {
      const now = Date.now();
      if (now >= cleanUpAt) {
        cleanUpAt = now + CLEAN_UP_MS;
        await cleanUp();
      }
      if (isFull) return "full";
      const storedMs = Math.max(expiresAt - now, 0) + CLOCK_MARGIN_MS;
      return (await queryTables(sql, ADD, [key, storedMs])).length > 0;
    },
  };
}
