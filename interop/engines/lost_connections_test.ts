import { pgBossQueue } from "@parley/comm/pgboss";
import { pgBossRuns } from "@parley/runtime/pgboss";
import pg from "pg";
import { type ConstructorOptions, PgBoss } from "pg-boss";
import { startPostgres } from "../../tools/testing/postgres.ts";
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
      const bosses: PgBoss[] = [];
      class ObservedBoss extends PgBoss {
        constructor(options: ConstructorOptions) {
          super(options);
          bosses.push(this);
        }
      }
      await using _subject = await open(server.url, ObservedBoss);
      const [boss] = bosses;
      // The pool removes its error listener from a connection that it hands out.
      const pool: pg.Pool = Reflect.get(boss?.getDb() ?? {}, "pool");
      const connection = await pool.connect();
      const ended = new Promise<void>((resolve) => connection.once("end", resolve));
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      const pid = Reflect.get(connection, "processID");
      await client.query("select pg_terminate_backend($1)", [pid]);
      await client.end();
      await ended;
      connection.release(true);
    },
  );
}
