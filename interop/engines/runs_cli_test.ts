import { type AgentVersions, openRuns } from "@parley/runtime/runs";
import { main } from "@parley/runtime/runs-cli";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { scriptedModel } from "@parley/runtime/testing";
import { ToolLoopAgent } from "@parley/runtime";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import pg from "pg";
import * as pgBoss from "pg-boss";
import { withTempDir } from "../../tools/cli.ts";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { bundleFor, runtimeOf } from "./chaos/runtimes.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const PATH = new URL("../../runtime/runs_cli.ts", import.meta.url).pathname;
const BIN = new URL("../../runtime/runs_bin.ts", import.meta.url);
const CONFIG = new URL("../deno.json", import.meta.url).pathname;

/** An agent that waits for an approval. */
function createAgents(): AgentVersions {
  const model = scriptedModel([{ calls: [{ toolName: "pay" }] }, { text: "Paid" }]);
  const make = (): ToolLoopAgent =>
    new ToolLoopAgent({
      name: "clerk",
      model,
      tools: [{ name: "pay", inputSchema: { type: "object" }, execute: () => "ok" }],
      approvalHandler: () => ({ decision: "defer" }),
    });
  return { clerk: { version: "1", make } };
}

async function run(database: string, ...args: readonly string[]) {
  let [out, err] = ["", ""];
  const code = await main(["--database", database, ...args], {
    out: (text) => out += text,
    err: (text) => err += text,
    colors: false,
    columns: 120,
    env: {},
    now: Date.now,
    hasFile: () => false,
    importPgBoss: () => Promise.resolve(pgBoss),
    signal: new AbortController().signal,
  });
  return { code, out, err };
}

Deno.test("parley-runs shows and decides a run on PostgreSQL while a worker executes it", {
  ignore: !HAS_POSTGRES,
}, async () => {
  await using server = await startPostgres({
    program: POSTGRES_RELEASES[18],
    settings: { fsync: "off" },
  });
  const { url } = server;
  const empty = await run(url, "list");
  assertEquals(empty, {
    code: 1,
    out: "",
    err: 'parley-runs: Cannot open the runs in the database: schema "parley" has no durable runs\n',
  });
  const runs = openRuns(
    pgBossRuns({ PgBoss: pgBoss.PgBoss, connectionString: url, maxConnections: 4 }),
    createAgents(),
    { pollIntervalMs: 50 },
  );
  const working = runs.work();
  try {
    await runs.start({ runId: "r1", agent: "clerk", input: "Pay" });
    let text = "";
    while (!text.includes("approval of pay")) text = (await run(url, "list")).out;
    assertMatch(text, /^r1 +clerk 1 +waiting +\d+ s ago +approval of pay$/m);
    const { out } = await run(url, "show", "r1", "--json");
    const { key } = JSON.parse(out).waitingFor[0];
    assertStringIncludes((await run(url, "show", "r1")).out, `signal r1 '${key}' true`);
    assertEquals(await run(url, "signal", "r1", key, "true"), {
      code: 0,
      out: "Stored\n",
      err: "",
    });
    assertEquals((await runs.result("r1")).status, "done");
    assertEquals(await run(url, "signal", "r1", key, "false"), {
      code: 1,
      out: "",
      err: 'parley-runs: Cannot signal run "r1": the run is done, failed or cancelled\n',
    });
    await runs.start({ runId: "r2", agent: "clerk", input: "Pay", due: new Date("2100-01-01") });
    assertEquals((await run(url, "cancel", "r2")).out, "Cancelled\n");
    assertEquals((await runs.get("r2"))?.status, "cancelled");
    assertMatch((await run(url, "steps", "r1")).out, /^\S+ +tool +r1\/i0\/tool/m);
    await program(url);
  } finally {
    await runs.close();
    await working;
  }
  await query(
    url,
    "comment on table parley.run is 'Durable runs of @parley/runtime, schema version 5'",
  );
  assertEquals(
    (await run(url, "list")).err,
    'parley-runs: Cannot open the runs in the database: schema "parley" has version 5, but this version of @parley/runtime requires 4\n',
  );
  assertEquals((await run(url, "--schema", "A", "list")).code, 2);
  await server.kill();
  const down = await run(url, "list");
  assertMatch(down.err, /^parley-runs: Cannot open the runs in the database: .*ECONNREFUSED.*\n$/);
  assertEquals(down.code, 1);
});

/** Starts the command as users of Deno and Node.js do, with the driver that the runtime finds. */
async function program(url: string): Promise<void> {
  const env = { DATABASE_URL: url };
  const deno = ["run", "-A", "--quiet", "--no-check", "--config", CONFIG, PATH];
  await assertLists(new Deno.Command("deno", { args: [...deno, "list", "--json"], env }));
  await withTempDir(async (folder) => {
    const driver = `${folder}/node_modules/pg-boss`;
    await Deno.mkdir(driver, { recursive: true });
    const bundle = await bundleFor("node", new URL("pg_boss_package.ts", import.meta.url), folder);
    await Deno.rename(bundle.program, `${driver}/index.mjs`);
    await Deno.writeTextFile(`${driver}/package.json`, '{ "main": "index.mjs" }');
    const [node, args] = runtimeOf(await bundleFor("node", BIN, folder));
    await assertLists(new Deno.Command(node, { args: [...args, "list", "--json"], env }));
    await Deno.remove(driver, { recursive: true });
    const { code, stderr } = await new Deno.Command(node, { args: [...args, "list"], env })
      .output();
    assertEquals([new TextDecoder().decode(stderr), code], [
      'parley-runs: Cannot load the driver "pg-boss": the package is not installed; run "npm install pg-boss@12"\n',
      1,
    ]);
  });
}

/** Asserts that the command prints the two runs. */
async function assertLists(command: Deno.Command): Promise<void> {
  const { code, stdout, stderr } = await command.output();
  assertEquals([new TextDecoder().decode(stderr), code], ["", 0]);
  assertEquals(new TextDecoder().decode(stdout).split("\n").length, 3);
}

async function query(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql);
  await client.end();
}
