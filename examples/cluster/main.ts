/**
 * A cluster of agents on one machine, whose processes can be killed:
 * `deno task demo:cluster --chaos`.
 *
 * @module
 */

import { readFlags, ToolError } from "../../tools/cli.ts";
import { runCluster } from "./cluster.ts";
import type { ClusterEvent } from "./events.ts";
import { isProven, MAX_TASKS } from "./proof.ts";
import { createView, describeOptions } from "./view.ts";
import { openPage } from "./web.ts";

const HELP = `Usage: deno task demo:cluster [options]

Starts PostgreSQL, two replicas of an MCP server behind a load balancer, three workers and a
requester that sends every task twice. Then proves that every task has one correct response.

  --tasks N  number of tasks (default: 20)
  --chaos    kill processes while they work
  --kills N  number of kills with --chaos (default: one for every five tasks)
  --seed N   seed that determines the kills with --chaos (default: random)
  --web      show the agents in a web page
  --json     print events as JSON Lines, and the proof as the last line`;

const FLAGS = {
  tasks: { type: "string" },
  chaos: { type: "boolean" },
  kills: { type: "string" },
  seed: { type: "string" },
  web: { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean" },
} as const;

const MAX_SEED = 2 ** 32 - 1;

/** An error in the command-line arguments. */
class UsageError extends ToolError {}

interface Options {
  readonly tasks: number;
  readonly kills: number;
  readonly seed: number;
  readonly isJson: boolean;
  readonly isWeb: boolean;
  readonly isHelp: boolean;
}

/** Reads the command-line arguments. */
function readOptions(args: readonly string[]): Options {
  const values = readUsage(args);
  const { chaos: isChaos = false, help: isHelp = false } = values;
  const { json: isJson = false, web: isWeb = false } = values;
  for (const name of ["kills", "seed"] as const) {
    if (values[name] !== undefined && !isChaos) throw new UsageError(`--${name} requires --chaos`);
  }
  const tasks = readNumber("tasks", values.tasks, 1, MAX_TASKS) ?? 20;
  const kills = readNumber("kills", values.kills, 0, tasks * 2) ?? Math.ceil(tasks / 5);
  const seed = readNumber("seed", values.seed, 0, MAX_SEED) ??
    Math.floor(Math.random() * MAX_SEED);
  return { tasks, kills: isChaos ? kills : 0, seed, isJson, isWeb, isHelp };
}

function readUsage(args: readonly string[]) {
  try {
    return readFlags(args, FLAGS);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readNumber(
  name: string,
  text: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`--${name} must be an integer from ${min} to ${max}, got "${text}"`);
}

/** Runs the cluster. Returns the exit code for this process. */
async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const { isHelp, isWeb, ...options } = readOptions(args);
  if (isHelp) {
    console.log(HELP);
    return 0;
  }
  const view = createView(options);
  const page = isWeb ? openPage(describeOptions(options), signal) : undefined;
  if (page) console.error(`Open ${page.url} in a browser. Ctrl-C ends the program.`);
  const onEvent = (event: ClusterEvent): void => {
    view.show(event);
    page?.show(event);
  };
  try {
    const proof = await runCluster({ ...options, signal, onEvent });
    view.end(proof);
    await page?.end(proof);
    return isProven(proof) ? 0 : 1;
  } finally {
    view.close();
  }
}

if (import.meta.main) {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => interrupt.abort(new ToolError("Interrupted")));
  }
  await main(Deno.args, interrupt.signal).then(Deno.exit, (error: unknown) => {
    const cause: unknown = interrupt.signal.aborted ? interrupt.signal.reason : error;
    console.error(cause instanceof ToolError ? cause.message : cause);
    Deno.exit(interrupt.signal.aborted ? 130 : cause instanceof UsageError ? 2 : 1);
  });
}
