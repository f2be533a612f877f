import { assert, assertEquals } from "@std/assert";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const TEAM = new URL("../../examples/agent_team/", import.meta.url);
const CLI = new URL("../../runtime/runs_cli.ts", import.meta.url).pathname;
const CONFIG = new URL("../deno.json", import.meta.url).pathname;

/** Lines that differ between the program for SQLite and the same program for PostgreSQL. */
const CHANGES = [
  [
    'import { sqliteRuns } from "@parley/runtime/sqlite";',
    'import { pgBossRuns } from "@parley/runtime/pgboss";\nimport { PgBoss } from "pg-boss";',
  ],
  [
    "sqliteRuns(database, { clock })",
    "pgBossRuns({ PgBoss, connectionString: database })",
  ],
] as const;

Deno.test("the durable team works on PostgreSQL after a change of the import and of one line", {
  ignore: !HAS_POSTGRES,
}, async () => {
  const program = POSTGRES_RELEASES[18];
  await using server = await startPostgres({ program, settings: { fsync: "off" } });
  const folder = await Deno.makeTempDir();
  try {
    let text = await Deno.readTextFile(new URL("durable.ts", TEAM));
    for (const [before, after] of CHANGES) {
      assertEquals(text.split(before).length, 2, `durable.ts contains ${before} once`);
      text = text.replace(before, after);
    }
    text = text.replace("./team.ts", new URL("team.ts", TEAM).href);
    const file = `${folder}/durable.ts`;
    await Deno.writeTextFile(file, text);
    const cli = (...args: readonly string[]) => run(CLI, "--database", server.url, ...args);
    const waiting = await run(file, server.url, `${folder}/site.txt`);
    const key = /^Waiting for approval (\S+)\n$/.exec(waiting)?.[1];
    assert(key !== undefined, waiting);
    assertEquals(await cli("signal", "notes-1-publish", key, "true"), "Stored\n");
    const done = await run(file, server.url, `${folder}/site.txt`, "--days", "1");
    assertEquals(done, "done: Published as number 1\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

async function run(program: string, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "-A", "--quiet", "--no-check", "--config", CONFIG, program, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout);
}
