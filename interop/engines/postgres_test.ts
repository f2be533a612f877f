import { assert, assertEquals, assertRejects } from "@std/assert";
import pg from "pg";
import { type Postgres, startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const program = POSTGRES_RELEASES[18];
const ignore = !HAS_POSTGRES;

/**
 * Program for the child process in the last test: starts a server, prints the server's folder and
 * waits.
 */
const STARTS_A_SERVER = `
import { startPostgres } from "${import.meta.resolve("../../tools/testing/postgres.ts")}";
const server = await startPostgres({ program: ${JSON.stringify(program)} });
console.log(server.folder);
await new Promise(() => setInterval(() => {}, 1_000_000));
`;

for (const [version, program] of Object.entries(POSTGRES_RELEASES)) {
  Deno.test(`startPostgres() starts PostgreSQL ${version} and stop() leaves nothing behind`, {
    ignore,
  }, async () => {
    let folder = "";
    {
      await using server = await startPostgres({ program });
      folder = server.folder;
      const [row] = await query(server, "select current_setting('server_version') as version");
      assertEquals(row?.version?.split(".")[0], version);
    }
    await assertNothingLeft(folder);
  });
}

Deno.test("restart() keeps the data and the port of a killed PostgreSQL server", {
  ignore,
}, async () => {
  await using server = await startPostgres({ program, settings: { fsync: "off" } });
  await query(server, "create table notes (text text)");
  await query(server, "insert into notes values ('kept')");
  await server.kill();
  await server.kill();
  await assertRejects(() => query(server, "select 1"));
  await server.restart();
  assertEquals(await query(server, "select text from notes"), [{ text: "kept" }]);
  assertEquals(await query(server, "show fsync"), [{ fsync: "off" }]);
});

Deno.test("stop() ends a PostgreSQL server that a failed test has suspended or killed", {
  ignore,
}, async () => {
  for (const signal of ["SIGSTOP", "SIGKILL"] as const) {
    let folder = "";
    await assertRejects(async () => {
      await using server = await startPostgres({ program });
      folder = server.folder;
      Deno.kill(await pidOf(server), signal);
      throw new Error("the test fails");
    }, "the test fails");
    await assertNothingLeft(folder);
  }
});

Deno.test("startPostgres() rejects with the log of a server that does not start", {
  ignore,
}, async () => {
  const settings = { shared_preload_libraries: "not_there" };
  const error = await assertRejects(() => startPostgres({ program, settings }));
  assert(String(error).includes("not_there"), String(error));
});

Deno.test("A PostgreSQL server ends if its test process is killed", { ignore }, async () => {
  const child = new Deno.Command("deno", {
    args: [
      "run",
      "-A",
      "--no-check",
      `data:text/javascript,${encodeURIComponent(STARTS_A_SERVER)}`,
    ],
    stdout: "piped",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const folder = (await lines.read()).value?.trim() ?? "";
  assert((await Deno.stat(`${folder}/data`)).isDirectory);
  const watcher = Deno.watchFs(folder, { recursive: false });
  child.kill("SIGKILL");
  await child.status;
  await lines.cancel();
  for await (const _ of watcher) {
    if (!await exists(folder)) break;
  }
  await assertNothingLeft(folder);
});

async function query({ url }: Postgres, sql: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function pidOf({ folder }: Postgres): Promise<number> {
  const [pid] = (await Deno.readTextFile(`${folder}/data/postmaster.pid`)).split("\n");
  return Number(pid);
}

async function assertNothingLeft(folder: string): Promise<void> {
  assert(folder !== "");
  assert(!await exists(folder), `${folder} exists`);
  let left = await listProcesses(folder);
  // The process that removes the folder exits shortly afterwards.
  for (let tries = 0; left.length > 0 && tries < 100; tries++) left = await listProcesses(folder);
  assertEquals(left, []);
}

/** Returns the command lines that contain the text. */
async function listProcesses(text: string): Promise<readonly string[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-o", "args="] }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((args) => args.includes(text));
}

function exists(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}
