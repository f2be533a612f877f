import { pgBossQueue } from "@parley/comm/pgboss";
import { pgBossRuns } from "@parley/runtime/pgboss";
import pg from "pg";
import { type ConstructorOptions, PgBoss } from "pg-boss";
import { type Postgres, startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

/** Opens a queue or an engine on an instance of pg-boss. */
type Open = (
  connectionString: string,
  boss: new (options: ConstructorOptions) => PgBoss,
) => Promise<AsyncDisposable>;

const SUBJECTS: Readonly<Record<string, Open>> = {
  pgBossQueue: (connectionString, PgBoss) =>
    pgBossQueue({ PgBoss, connectionString, inboxOf: () => "inbox", onError: () => {} }),
  pgBossRuns: (connectionString, PgBoss) =>
    pgBossRuns({ PgBoss, connectionString, onError: () => {} }),
};

for (const [name, open] of Object.entries(SUBJECTS)) {
  Deno.test(
    `${name}() survives the loss of a connection to which pg-boss has not added a listener`,
    {
      ignore: !HAS_POSTGRES,
    },
    async () => {
      await using server = await startPostgres({ program: POSTGRES_RELEASES[18] });
      const { ObservedBoss, bosses } = observe();
      await using _subject = await open(server.url, ObservedBoss);
      // The pool removes its error listener from a connection that it checks out.
      const pool: pg.Pool = Reflect.get(bosses[0]?.getDb() ?? {}, "pool");
      const connection = await pool.connect();
      const ended = new Promise<void>((resolve) => connection.once("end", resolve));
      await query(server, `select pg_terminate_backend(${Reflect.get(connection, "processID")})`);
      await ended;
      connection.release(true);
    },
  );

  Deno.test(`${name}() can be closed while the database closes the connection for notifications`, {
    ignore: !HAS_POSTGRES,
  }, async () => {
    await using server = await startPostgres({ program: POSTGRES_RELEASES[18] });
    const subject = await open(server.url, PgBoss);
    const [row] = await query(
      server,
      "select pid from pg_stat_activity where query ilike 'listen%'",
    );
    const pid = Number(row?.pid);
    // The suspended process sends its last message when the connection is being closed.
    Deno.kill(pid, "SIGSTOP");
    await query(server, `select pg_terminate_backend(${pid})`);
    const closing = subject[Symbol.asyncDispose]();
    Deno.kill(pid, "SIGCONT");
    await closing;
  });
}

/** Returns a class whose instances are added to an array. */
function observe() {
  const bosses: PgBoss[] = [];
  class ObservedBoss extends PgBoss {
    constructor(options: ConstructorOptions) {
      super(options);
      bosses.push(this);
    }
  }
  return { ObservedBoss, bosses };
}

async function query({ url }: Postgres, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
