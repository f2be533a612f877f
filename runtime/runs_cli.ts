/**
 * The `parley-runs` command, which lists and follows durable runs, shows what each run is waiting
 * for, and sends signals and decisions.
 *
 *     npx -p @parley/runtime -p pg-boss parley-runs --database postgres://localhost/app list
 *     deno run -A jsr:@parley/runtime/runs-cli --database runs.db show order-7
 *
 * The command can be used while workers are running.
 *
 * @module
 */

import { readArguments, type RunsDatabase, USAGE } from "./cli/arguments.ts";
import { execute } from "./cli/commands.ts";
import { runProgram, type RunsCliIo } from "./cli/program.ts";
import { pgBossRuns, type PgBossRunsOptions } from "./pgboss.ts";
import type { RunEngine } from "./runs/contracts.ts";
import { openRuns } from "./runs/open_runs.ts";
import { escapeText } from "@parley/internal/escape-text";
import { AgentError, errorMessageOf } from "./shared/error.ts";
import { asRecord, defined } from "@parley/internal/json";
import { sqliteRuns } from "./sqlite.ts";

export type { RunsCliIo };

const FAILURE = 1;
const INVALID_USAGE = 2;
const INTERRUPTED = 130;

/**
 * Runs a command line of `parley-runs`.
 *
 * @param args Arguments, without the program name.
 * @param io Access to output, environment variables, files and the database driver.
 * @returns The exit code. 0: success. 1: failure. 2: invalid usage. 130: interrupted.
 *
 * @example Show the help text
 * ```ts
 * import { main } from "@parley/runtime/runs-cli";
 * import { assertEquals, assertStringIncludes } from "@std/assert";
 *
 * let text = "";
 * const code = await main(["--help"], {
 *   out: (more) => text += more,
 *   err: () => {},
 *   colors: false,
 *   columns: 80,
 *   env: {},
 *   now: Date.now,
 *   hasFile: () => false,
 *   importPgBoss: () => Promise.reject(new Error("not installed")),
 *   signal: new AbortController().signal,
 * });
 * assertEquals(code, 0);
 * assertStringIncludes(text, "signal ID KEY VALUE");
 * ```
 */
export async function main(args: readonly string[], io: RunsCliIo): Promise<number> {
  const parsed = readArguments(args, io.env);
  if (parsed.kind === "help") {
    io.out(USAGE);
    return 0;
  }
  const fail = (reason: string): void => io.err(`parley-runs: ${escapeText(reason)}\n`);
  if (parsed.kind === "invalid") {
    fail(parsed.reason);
    io.err('Run "parley-runs --help" for usage.\n');
    return INVALID_USAGE;
  }
  try {
    const engine = await openDatabase(parsed.request.database, io, fail);
    const storeEvents = parsed.request.command.name === "follow";
    await using runs = openRuns(engine, {}, { storeEvents });
    await execute(runs, parsed.request, { ...io, now: io.now() });
    return 0;
  } catch (error) {
    if (io.signal.aborted) return INTERRUPTED;
    fail(errorMessageOf(error));
    // A `TypeError` or `RangeError` means that an argument of the command is invalid.
    return error instanceof TypeError || error instanceof RangeError ? INVALID_USAGE : FAILURE;
  }
}

async function openDatabase(
  database: RunsDatabase,
  { hasFile, importPgBoss, signal }: RunsCliIo,
  report: (reason: string) => void,
): Promise<RunEngine> {
  if (database.kind === "sqlite") {
    const { path } = database;
    if (hasFile(path)) return sqliteRuns(path, { migrate: false });
    throw AgentError.core(`Cannot open the runs in "${path}": the file does not exist`);
  }
  const { schema, url } = database;
  return await pgBossRuns({
    PgBoss: await findPgBoss(importPgBoss),
    connectionString: url,
    migrate: false,
    maxConnections: 2,
    startTimeoutMs: 0,
    signal,
    onError: (error) => report(errorMessageOf(error)),
    ...defined({ schema }),
  });
}

async function findPgBoss(
  importPgBoss: () => Promise<unknown>,
): Promise<PgBossRunsOptions["PgBoss"]> {
  const hint = 'run "npm install pg-boss@12"';
  const imported = await importPgBoss().catch((cause: unknown): never => {
    const isMissing = asRecord(cause).code === "ERR_MODULE_NOT_FOUND";
    const reason = isMissing ? "the package is not installed" : errorMessageOf(cause);
    throw AgentError.core(`Cannot load the driver "pg-boss": ${reason}; ${hint}`, { cause });
  });
  const { PgBoss } = asRecord(imported);
  if (isPgBoss(PgBoss)) return PgBoss;
  throw AgentError.core(
    `Cannot load the driver "pg-boss": the package has a different version; ${hint}`,
  );
}

/**
 * Returns true if the value is a class. Tests in `interop` compare the pg-boss types with the
 * assumed types.
 */
function isPgBoss(value: unknown): value is PgBossRunsOptions["PgBoss"] {
  return typeof value === "function";
}

// Versions of Node.js before 24 lack `import.meta.main`, so the npm package starts runs_bin.ts
// instead of this file.
if ((import.meta as { readonly main?: boolean }).main === true) await runProgram(main);
