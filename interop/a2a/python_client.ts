/**
 * Calls our agent with the client of the Python package `a2a-sdk`, with both bindings, streaming or
 * not:
 *
 *     deno run -A --config interop/deno.json interop/a2a/python_client.ts
 *
 * `PARLEY_A2A_PYTHON` is a Python in which the package is installed. If it is not set, the program
 * creates a virtual environment with `python3`, and installs the package from PyPI.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { run, runTool, withTempDir } from "../../tools/cli.ts";
import { serveAgent } from "./agent.ts";

const PACKAGES = ["a2a-sdk==1.3.0", "httpx==0.28.1"];

/** Installs the packages in a folder. Returns the path of its Python. */
async function install(dir: string): Promise<string> {
  await run("python3", ["-m", "venv", dir]);
  await run(`${dir}/bin/pip`, ["install", "--quiet", ...PACKAGES]);
  return `${dir}/bin/python`;
}

/** Returns the results that the client prints. */
async function callAgent(python: string): Promise<readonly unknown[]> {
  await using agent = await serveAgent();
  const program = new URL("python_client.py", import.meta.url).pathname;
  const { stdout } = await run(python, [program, agent.origin]);
  return stdout.trim().split("\n").map((line): unknown => JSON.parse(line));
}

const KINDS = ["artifact_update", "status_update", "task"];

function expected(binding: string, streaming: boolean) {
  return {
    binding,
    streaming,
    answer: [streaming ? KINDS : ["task"], "Answer to 6 * 7", "TASK_STATE_COMPLETED"],
    question: "TASK_STATE_INPUT_REQUIRED",
    reply: ["You said the red one", "TASK_STATE_COMPLETED"],
    read: ["TASK_STATE_COMPLETED", 1],
    unknown: "TaskNotFoundError",
    ended: "TaskNotCancelableError",
  };
}

async function main(): Promise<number> {
  const results = await withTempDir(async (dir) =>
    await callAgent(Deno.env.get("PARLEY_A2A_PYTHON") ?? await install(`${dir}/venv`))
  );
  const rows = ["JSONRPC", "HTTP+JSON"].flatMap((binding) =>
    [false, true].map((streaming) => expected(binding, streaming))
  );
  assertEquals(results, rows);
  console.log(`a2a-sdk: ${results.length} combinations of binding and streaming agree`);
  return 0;
}

if (import.meta.main) await runTool("a2a-sdk", main);
