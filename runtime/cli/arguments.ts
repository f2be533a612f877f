/**
 * Parses the command line of `parley-runs`.
 *
 * @module
 */

import { parseArgs } from "node:util";
import type { RunFilter, RunPosition } from "../runs/contracts.ts";
import { isTime, RUN_STATUSES } from "../runs/read_record.ts";
import type { RunStatus } from "../runs/run_record.ts";
import { MAX_PAGE } from "../runs/run_filter.ts";
import { errorMessageOf } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { defined } from "@parley/internal/json";

/** A command with its arguments. */
export type RunsCommand =
  | { readonly name: "list"; readonly filter: RunFilter }
  | { readonly name: "show" | "follow" | "steps" | "signals" | "cancel"; readonly runId: string }
  | {
    readonly name: "signal";
    readonly runId: string;
    readonly key: string;
    readonly value: JsonValue;
  };

/** The database that contains the runs. */
export type RunsDatabase =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string; readonly schema?: string };

/** A valid command line. */
export interface RunsRequest {
  readonly command: RunsCommand;
  readonly database: RunsDatabase;
  /** Whether the output is JSON. */
  readonly isJson: boolean;
}

/** Result of {@linkcode readArguments}. */
export type ArgumentsResult =
  | { readonly kind: "request"; readonly request: RunsRequest }
  | { readonly kind: "help" }
  | { readonly kind: "invalid"; readonly reason: string };

/** Help text for the command. */
export const USAGE: string = `parley-runs [--database DATABASE] COMMAND

  list                  list runs
  show ID               show a run, and what the run waits for
  follow ID             write the events of a run, one JSON value per line, until the run ends
  steps ID              list the recorded steps of a run
  signals ID            list the signals and decisions that a run has received
  signal ID KEY VALUE   send a signal or a decision; VALUE is JSON, and true approves
  cancel ID             cancel a run

Options
  --database DATABASE   postgres:// URL, or path of an SQLite file (default: the variable DATABASE_URL)
  --schema NAME         schema of the tables in PostgreSQL (default: parley)
  --json                write one JSON value per line
  --help                show this text

Options of list
  --status STATUS       only runs that are queued, running, waiting, done, failed or cancelled
  --agent NAME          only runs of an agent
  --prefix TEXT         only runs whose id starts with a text
  --order ORDER         id, or updated for the runs that changed most recently first (default: id)
  --after ID            only runs after a run in the list; TIME,ID with --order updated
  --limit N             at most N runs, from 1 to ${MAX_PAGE} (default: 100)

Exit codes
  0 success   1 failure   2 invalid usage   130 interrupted
`;

const FLAGS = {
  database: { type: "string" },
  schema: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  status: { type: "string" },
  agent: { type: "string" },
  prefix: { type: "string" },
  order: { type: "string" },
  after: { type: "string" },
  limit: { type: "string" },
} as const;

/** Arguments of each command, named as in the help text. */
const ARGUMENTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["list", []],
  ["show", ["ID"]],
  ["follow", ["ID"]],
  ["steps", ["ID"]],
  ["signals", ["ID"]],
  ["signal", ["ID", "KEY", "VALUE"]],
  ["cancel", ["ID"]],
]);

type Flags = ReturnType<typeof parse>["values"];

/** Thrown for invalid arguments. */
class InvalidArguments extends Error {}

/**
 * Reads the arguments of `parley-runs`.
 *
 * @param args Arguments, without the program name.
 * @param env Environment variables.
 */
export function readArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ArgumentsResult {
  try {
    const { positionals, values } = parse(args);
    if (values.help === true || positionals[0] === "help") return { kind: "help" };
    const command = readCommand(positionals, values);
    const database = readDatabase(values, env);
    return { kind: "request", request: { command, database, isJson: values.json === true } };
  } catch (error) {
    if (!(error instanceof InvalidArguments)) throw error;
    return { kind: "invalid", reason: error.message };
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, allowPositionals: true });
  } catch (error) {
    const [reason = ""] = errorMessageOf(error).split(/\.? To specify|\.?\n/);
    throw new InvalidArguments(`Invalid arguments: ${reason}`);
  }
}

function readCommand([name = "", ...words]: readonly string[], flags: Flags): RunsCommand {
  if (name === "") throw new InvalidArguments("No command is specified");
  const names = ARGUMENTS.get(name);
  if (names === undefined) throw new InvalidArguments(`Unknown command "${name}"`);
  const [runId = "", key = "", value = ""] = words;
  if (words.length !== names.length || words.includes("")) {
    throw new InvalidArguments(`Invalid arguments: expected ${[name, ...names].join(" ")}`);
  }
  const { after, agent, limit, order, prefix, status } = flags;
  if (name === "list") return { name, filter: readFilter(flags) };
  const [misplaced] = Object.entries({ after, agent, limit, order, prefix, status })
    .filter(([, text]) => text !== undefined);
  if (misplaced !== undefined) {
    throw new InvalidArguments(`"--${misplaced[0]}" is valid only with the command "list"`);
  }
  if (name === "signal") return { name, runId, key, value: readValue(value) };
  switch (name) {
    case "show":
    case "follow":
    case "steps":
    case "signals":
      return { name, runId };
    default:
      return { name: "cancel", runId };
  }
}

function readFilter({ after, agent, limit, order, prefix, status }: Flags): RunFilter {
  const by = order === undefined ? undefined : readOrder(order);
  return defined({
    status: status === undefined ? undefined : readStatus(status),
    limit: limit === undefined ? undefined : readLimit(limit),
    order: by,
    after: after === undefined ? undefined : readPosition(after, by),
    agent,
    prefix,
  });
}

function readOrder(text: string): "id" | "updated" {
  if (text === "id" || text === "updated") return text;
  throw new InvalidArguments(`"--order" must be id or updated, got "${text}"`);
}

/** Reads an id, or a time and an id. A time contains no comma, and an id may contain one. */
function readPosition(text: string, order: "id" | "updated" | undefined): RunPosition {
  if (order !== "updated") return { runId: text };
  const comma = text.indexOf(",");
  const [updatedAt, runId] = [text.slice(0, Math.max(comma, 0)), text.slice(comma + 1)];
  if (/^\d{4}-\d\d-\d\dT.*Z$/.test(updatedAt) && isTime(updatedAt) && runId !== "") {
    return { updatedAt, runId };
  }
  const example = "2030-01-02T03:04:05.678Z,order-7";
  throw new InvalidArguments(
    `"--after" must be a time and an id for the order updated, such as ${example}, got "${text}"`,
  );
}

/** Formats the position of a run as `--after` expects it. */
export function formatPosition({ runId, updatedAt = "" }: RunPosition, order = "id"): string {
  return order === "updated" ? `${updatedAt},${runId}` : runId;
}

function readStatus(text: string): RunStatus {
  const status = RUN_STATUSES.find((one) => one === text);
  if (status !== undefined) return status;
  throw new InvalidArguments(`"--status" must be one of ${RUN_STATUSES.join(", ")}, got "${text}"`);
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX_PAGE) return limit;
  throw new InvalidArguments(`"--limit" must be an integer from 1 to ${MAX_PAGE}, got "${text}"`);
}

function readValue(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's error contains a position but not the expected value.
    throw new InvalidArguments(`VALUE must be JSON, such as true or '"text"', got ${text}`);
  }
}

function readDatabase(
  { database, schema }: Flags,
  { DATABASE_URL }: Readonly<Record<string, string | undefined>>,
): RunsDatabase {
  const text = database ?? DATABASE_URL ?? "";
  if (text === "") {
    throw new InvalidArguments(
      "No database is specified: set --database or the environment variable DATABASE_URL",
    );
  }
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  if (scheme === undefined) {
    if (schema === undefined) return { kind: "sqlite", path: text };
    throw new InvalidArguments('"--schema" is valid only with a PostgreSQL database');
  }
  // The URL may contain a password, so the errors do not contain the URL.
  if (!/^postgres(ql)?$/i.test(scheme)) {
    const expected = "a postgres:// URL or the path of an SQLite file";
    throw new InvalidArguments(`The database must be ${expected}, got a ${scheme}:// URL`);
  }
  if (!URL.canParse(text)) throw new InvalidArguments("The postgres:// URL is not a valid URL");
  return { kind: "postgres", url: text, ...defined({ schema }) };
}
