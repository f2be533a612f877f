import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main, type RunsCliIo } from "./runs_cli.ts";
import { linesOf } from "./runs/testdata/engine_process.ts";
import { withFolder } from "./runs/testdata/temporary_folder.ts";

const PROGRAM = new URL("runs_cli.ts", import.meta.url).pathname;
const FILES = new URL("runs/testdata/sqlite_files.ts", import.meta.url).pathname;
const SHARED = new URL("runs/testdata/sqlite_shared.ts", import.meta.url).pathname;

/** The error that Node.js throws for a package that is not installed. */
const NOT_FOUND = Object.assign(new Error("Cannot find package 'pg-boss' imported from /x.js"), {
  code: "ERR_MODULE_NOT_FOUND",
});

function start(program: string, ...args: readonly string[]): Deno.ChildProcess {
  return new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "-A", program, ...args],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function run(program: string, ...args: readonly string[]) {
  const child = start(program, ...args);
  await child.stdin.close();
  const { code, stderr, stdout } = await child.output();
  return { code, err: textOf(stderr), out: textOf(stdout) };
}

function textOf(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}

/** Runs a command line in the current process, without a database file or a driver. */
async function runHere(args: readonly string[], io: Partial<RunsCliIo> = {}) {
  let [out, err] = ["", ""];
  const code = await main(args, {
    out: (text) => out += text,
    err: (text) => err += text,
    colors: false,
    columns: 80,
    env: {},
    now: () => 0,
    hasFile: () => false,
    importPgBoss: () => Promise.reject(NOT_FOUND),
    signal: new AbortController().signal,
    ...io,
  });
  return { code, err, out };
}

Deno.test("parley-runs approves a run in an SQLite file", async () => {
  await withFolder(async (folder) => {
    const file = `${folder}/runs.db`;
    const runs = (...args: readonly string[]) => run(PROGRAM, "--database", file, ...args);
    await run(FILES, "waiting", file);
    assertStringIncludes((await runs("show", "r1")).out, "signal r1 r1/i0/approval/0 true");
    const stored = await runs("signal", "r1", "r1/i0/approval/0", "true");
    assertEquals(stored, { code: 0, err: "", out: "Stored\n" });
    assertStringIncludes((await runs("list")).out, "queued");
  });
});

Deno.test("parley-runs lists, signals and cancels the runs that another process executes", async () => {
  await withFolder(async (folder) => {
    const file = `${folder}/runs.db`;
    const runs = (...args: readonly string[]) => run(PROGRAM, "--database", file, ...args);
    const worker = start(SHARED, "worker", file);
    const lines = linesOf(worker.stdout.pipeThrough(new TextDecoderStream()))[
      Symbol.asyncIterator
    ]();
    const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value);
    assertEquals(new Set([await next(), await next()]), new Set(["r1 waiting", "blocked"]));
    const { code, err, out } = await runs("list");
    assertEquals([code, err], [0, ""]);
    assertMatch(out, /r1\s.*waiting[^]*r2\s.*running/);
    assertEquals((await runs("signal", "r1", "paid", "5")).out, "Stored\n");
    assertEquals(await next(), "r1 done");
    assertEquals((await runs("cancel", "r2")).code, 0);
    assertEquals(await next(), "aborted");
    await worker.stdin.close();
    assertEquals((await lines.next()).done, true);
    assertEquals(textOf((await worker.stderr.getReader().read()).value), "");
    assertEquals((await worker.status).code, 0);
  });
});

Deno.test("parley-runs does not change a file with an older version", async () => {
  await withFolder(async (folder) => {
    const file = `${folder}/runs.db`;
    await run(FILES, "older", file);
    const reason = "the database has schema version 2, but this version of @parley/runtime " +
      "requires 4";
    assertEquals(await run(PROGRAM, "--database", file, "list"), {
      code: 1,
      err: `parley-runs: Cannot open the runs in "${file}": ${reason}\n`,
      out: "",
    });
  });
});

Deno.test("parley-runs fails with one sentence if the file or the driver is missing", async () => {
  assertEquals(await runHere(["--database", "none.db", "list"]), {
    code: 1,
    err: 'parley-runs: Cannot open the runs in "none.db": the file does not exist\n',
    out: "",
  });
  const hint = 'run "npm install pg-boss@12"';
  const args = ["--database", "postgres://127.0.0.1:1/app", "list"];
  assertEquals(await runHere(args), {
    code: 1,
    err: `parley-runs: Cannot load the driver "pg-boss": the package is not installed; ${hint}\n`,
    out: "",
  });
  const offline = () => Promise.reject(new Error("no network"));
  const other = await runHere(args, { importPgBoss: offline });
  assertMatch(other.err, /^parley-runs: Cannot load the driver "pg-boss": no network; run /);
  assertEquals(
    (await runHere(args, { importPgBoss: () => Promise.resolve({}) })).err,
    `parley-runs: Cannot load the driver "pg-boss": the package has a different version; ${hint}\n`,
  );
});

Deno.test("parley-runs exits with code 2 after invalid usage, and with code 130 after an interrupt", async () => {
  const invalid = await runHere(["list"]);
  assertEquals([invalid.code, invalid.out], [2, ""]);
  assertMatch(
    invalid.err,
    /^parley-runs: No database is specified: .*\nRun "parley-runs --help" for usage\.\n$/,
  );
  const args = ["--database", "postgres://127.0.0.1:1/app", "list"];
  assertEquals((await runHere(args, { signal: AbortSignal.abort() })).code, 130);
  const help = await runHere(["--help"]);
  assertEquals([help.code, help.err], [0, ""]);
  assertStringIncludes(help.out, "--database DATABASE");
});
