/**
 * A substitute for pg-boss.
 *
 * @module
 */

import type { PgBossInstance } from "../queues/pgboss_types.ts";

function unused(): never {
  throw new Error("not expected");
}

/** A substitute for pg-boss that starts but has no queues. */
export class StartedBoss implements PgBossInstance {
  on(_event: string, _listener: (error: Error) => void): void {}
  start = (): Promise<void> => Promise.resolve();
  stop = (): Promise<void> => Promise.resolve();
  createQueue: PgBossInstance["createQueue"] = unused;
  notifyWorker: PgBossInstance["notifyWorker"] = unused;
  getDb: PgBossInstance["getDb"] = () => ({ executeSql: unused });
  getQueue: PgBossInstance["getQueue"] = unused;
  updateQueue: PgBossInstance["updateQueue"] = unused;
  insert: PgBossInstance["insert"] = unused;
  complete: PgBossInstance["complete"] = unused;
  findJobs: PgBossInstance["findJobs"] = unused;
  redrive: PgBossInstance["redrive"] = unused;
  work: PgBossInstance["work"] = unused;
  offWork: PgBossInstance["offWork"] = unused;
}
