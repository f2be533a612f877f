/**
 * The statements for sessions in a PostgreSQL database.
 *
 * @module
 */

import { NOW } from "./postgres_schema.ts";
import type { RunLogFilter } from "../log/run_log.ts";

/** Number of sessions that one statement purges. */
export const PURGE_BATCH = 1000;

/** The statements for the tables in one schema. */
export type SessionStatements = ReturnType<typeof statementsFor>;

/** Returns the statements for a schema, whose name must be valid. */
export function statementsFor(schema: string) {
  return {
    records: `select n, record from "${schema}".session_record where session_id = $1 order by n`,
    count: `select count(*)::integer as count from "${schema}".session_record
      where session_id = $1`,
    addRecord: `select "${schema}".session_add_record($1, $2, $3) as outcome`,
    removeRecord: `select "${schema}".session_remove_record($1, $2) as outcome`,
    claim: `select run.*, ${NOW} as now
      from "${schema}".session_claim($1, $2, $3, $4, $5, $6, $7) as run`,
    head: `select run.*, ${NOW} as now from "${schema}".session_run as run where key = $1`,
    look: `select key, run_id, epoch, phase, lease_until, is_stopping, 'null' as turn,
        null as turn_id, first, count, 'null' as result, keep_until, started_at, changed_at,
        ${NOW} as now
      from "${schema}".session_run
      where key in (select json_array_elements_text($1::text::json))`,
    append: `select "${schema}".session_append($1, $2, $3) as outcome`,
    renew: `update "${schema}".session_run set lease_until = ${NOW} + $3::bigint
      where key = $1 and epoch = $2 and phase = 'running'
      returning case is_stopping when 0 then 'held' else 'stop' end as hold`,
    finish: `select "${schema}".session_finish($1, $2, $3, $4, $5, $6) as outcome`,
    stop: `select "${schema}".session_stop($1, $2) as outcome`,
    entries: `select n, entry from "${schema}".session_entry
      where key = $1 and epoch = $2 and n >= $3 and n < $4 order by n`,
    steps: `select step as n, entry from "${schema}".session_step where key = $1`,
    putStep: `select "${schema}".session_put_step($1, $2, $3, $4) as outcome`,
    deleteSteps: `delete from "${schema}".session_step where key = $1`,
    commit: `select "${schema}".session_commit($1, $2, $3, $4, $5, $6, $7, $8) as outcome`,
    purge: `with ended as (
        update "${schema}".session_run set first = 0, count = 0 where key in (
          select key from "${schema}".session_run
          where phase = 'ended' and keep_until <= ${NOW} and count > 0
          limit ${PURGE_BATCH} for update skip locked
        ) returning key
      ), deleted as (
        delete from "${schema}".session_entry as entry using ended where entry.key = ended.key
      )
      select count(*)::integer as count from ended`,
  };
}

/**
 * Returns the statement that lists runs: `$1` is the key before, `$2` the phase, `$3` the limit.
 */
export function listOf(schema: string, { isInterrupted }: RunLogFilter): string {
  // The conditions are those of the index for runs that have not ended.
  const interrupted = `(phase in ('running', 'released')
    and (phase = 'released' or lease_until <= ${NOW}))`;
  const condition = isInterrupted === undefined
    ? ""
    : isInterrupted
    ? `and ${interrupted}`
    : `and not ${interrupted}`;
  return `select run.*, ${NOW} as now from "${schema}".session_run as run
    where key > $1 and ($2::text is null or phase = $2) ${condition}
    order by key limit $3`;
}
