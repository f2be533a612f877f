/**
 * Proves, after a run of the example, that the contents of the tables match the orders.
 *
 * @module
 */

import { setTimeout as delay } from "node:timers/promises";
// @ts-types="@types/pg"
import pg from "pg";
import { PgBoss } from "pg-boss";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { openRuns } from "@parley/runtime/runs";
import { ITEMS_PER_ORDER, responseTo } from "./orders.ts";
import { openQueue, RESPONSES, TASKS } from "./queue.ts";

/** Maximum number of tasks, limited by the page size of the run list. */
export const MAX_TASKS = 1000;

/** Counts taken after a run. */
export interface Proof {
  readonly tasks: number;
  /** Tasks with a response. */
  readonly responses: number;
  /** Tasks without a response. */
  readonly lost: number;
  /** Responses with the wrong text. */
  readonly wrong: number;
  /** Responses to tasks that already had a response. */
  readonly duplicates: number;
  /** Messages that could not be processed. */
  readonly deadLetters: number;
  /** Number of times the tool with an effect was executed. */
  readonly effects: number;
  /** Distinct calls to the tool that has a side effect. */
  readonly distinctEffects: number;
  /** Repeated executions before the result of the call was recorded. */
  readonly repeatedInFlight: number;
  /** Repeated executions after the result of the call was recorded. */
  readonly repeatedAfterRecord: number;
}

/**
 * Returns `true` if every task has exactly one response, every response is correct, and no effect
 * is missing or wrong.
 */
export function isProven(proof: Proof): boolean {
  const { responses, tasks, distinctEffects, effects, repeatedInFlight } = proof;
  const faults = [proof.lost, proof.wrong, proof.duplicates, proof.deadLetters];
  return responses === tasks &&
    [...faults, proof.repeatedAfterRecord].every((count) => count === 0) &&
    distinctEffects === tasks * ITEMS_PER_ORDER && effects === distinctEffects + repeatedInFlight;
}

/** Describes the proof in a few lines. */
export function describeProof(proof: Proof): readonly string[] {
  const { responses, distinctEffects, effects, repeatedInFlight, tasks } = proof;
  return [
    `Responses: ${responses} of ${tasks}; ${proof.wrong} wrong, ${proof.lost} lost, ${proof.duplicates} sent again`,
    `Effects: ${effects} = ${distinctEffects} different + ${repeatedInFlight} repeated in flight`,
    `Repeated: ${proof.repeatedAfterRecord} after their result was recorded`,
    `Messages: ${proof.deadLetters} could not be processed`,
    isProven(proof) ? "Every task has exactly one correct response." : "The proof has failed.",
  ];
}

/**
 * Waits until every message is acknowledged, including the second copy of each task, and counts
 * responses and effects.
 */
export async function prove(url: string, tasks: number, signal: AbortSignal): Promise<Proof> {
  const pool = new pg.Pool({ connectionString: url });
  try {
    await untilAcknowledged(pool, signal);
    const deadLetters = await countDeadLetters(url);
    return {
      tasks,
      ...await countResponses(pool, tasks),
      ...await countEffects(pool, url),
      deadLetters,
    };
  } finally {
    await pool.end();
  }
}

async function untilAcknowledged(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  const open = `select 1 from pgboss.job where name in ('inbox.${TASKS}', 'inbox.${RESPONSES}')
    and state in ('created', 'retry', 'active') limit 1`;
  while ((await pool.query(open)).rows.length > 0) await delay(200, undefined, { signal });
}

async function countResponses(pool: pg.Pool, tasks: number) {
  const { rows } = await pool.query<{ order_number: number; text: string }>(
    "select order_number, text from response",
  );
  const responses = new Set(rows.map(({ order_number }) => order_number)).size;
  const wrong = rows.filter(({ order_number, text }) => text !== responseTo(order_number));
  return {
    responses,
    lost: tasks - responses,
    wrong: wrong.length,
    duplicates: rows.length - responses,
  };
}

/**
 * Compares the time of each repeated execution with the time at which the result of the call was
 * recorded.
 */
async function countEffects(pool: pg.Pool, url: string) {
  const { rows } = await pool.query<{ key: string; executions: number; executed_at: Date }>(
    "select key, executions, executed_at from reservation",
  );
  const recordedAt = await readRecordedTimes(url);
  let [repeatedInFlight, repeatedAfterRecord] = [0, 0];
  for (const { key, executions, executed_at } of rows) {
    const repeats = executions - 1;
    const recorded = recordedAt.get(key);
    const isInFlight = recorded !== undefined && executed_at.getTime() <= recorded;
    if (isInFlight) repeatedInFlight += repeats;
    else repeatedAfterRecord += Math.max(repeats, 1);
  }
  const effects = rows.reduce((sum, { executions }) => sum + executions, 0);
  return { effects, distinctEffects: rows.length, repeatedInFlight, repeatedAfterRecord };
}

/**
 * Returns the time at which the result of each tool call was recorded, keyed by the call's
 * idempotency key.
 */
async function readRecordedTimes(connectionString: string): Promise<ReadonlyMap<string, number>> {
  await using runs = openRuns(pgBossRuns({ PgBoss, connectionString }), {});
  const times = new Map<string, number>();
  for (const { runId } of await runs.list({ limit: MAX_TASKS })) {
    for await (const { at, key, kind } of runs.steps(runId)) {
      if (kind === "tool" && at !== undefined) times.set(key, at);
    }
  }
  return times;
}

async function countDeadLetters(url: string): Promise<number> {
  await using queue = await openQueue(url, "");
  const letters = await Promise.all([queue.deadLetters(TASKS), queue.deadLetters(RESPONSES)]);
  return letters.flat().length;
}
