/**
 * Checks the programs that serve MCP with a web framework or a runtime. Each program is bundled
 * into one file and runs on the runtime that the program is written for.
 *
 * @module
 */

import { connectTcp, startOnFreePort } from "../../conformance/platform/net.ts";
import { run, ToolError, withTempDir } from "../../tools/cli.ts";
import { BUN, type Runtime, runtimeCommand } from "../../tools/runtimes/runtimes.ts";
import { startWorker } from "../../tools/runtimes/workerd.ts";
import { type Check, type Subject, within } from "../check.ts";
import { processTree, waitUntilGone } from "../processes.ts";
import { checkApiKeys, checkEndpoint } from "./checks.ts";
import { buildNextApp } from "./next.ts";

const INTEROP = new URL("../", import.meta.url).pathname;
const NODE: Runtime = { name: "node", npm: "node@22" };
const DENO: Runtime = { name: "deno", flags: ["run", "--allow-net=127.0.0.1", "--allow-env=PORT"] };

/** The framework and runtime checks that run in continuous integration. */
export const FRAMEWORKS: readonly Subject[] = [
  program("node:http on Node.js", "node_http", NODE),
  program("Express with express.json() on Node.js", "express", NODE),
  program("Fastify on Node.js", "fastify", NODE),
  program("Hono on Node.js", "hono", NODE),
  program("Bun.serve", "bun", BUN),
  program("Deno.serve", "deno", DENO),
  apiKeys("Express with API keys on Node.js", "express"),
  apiKeys("Fastify with API keys on Node.js", "fastify"),
  apiKeys("Hono with API keys on Node.js", "hono"),
  { name: "workerd", run: (check) => withWorker((url) => checkEndpoint(url, check)) },
];

/** Checks for the frameworks in the nightly run. */
export const NIGHTLY_FRAMEWORKS: readonly Subject[] = [
  program("Elysia on Bun", "elysia", BUN),
  {
    name: "Next route handler on Node.js",
    run: (check) => withTempDir((dir) => runNext(dir, check)),
  },
];

function program(name: string, file: string, runtime: Runtime): Subject {
  return { name, run: (check) => runProgram(`programs/${file}`, runtime, check, checkEndpoint) };
}

function apiKeys(name: string, file: string): Subject {
  return { name, run: (check) => runProgram(`api_keys/${file}`, NODE, check, checkApiKeys) };
}

function runProgram(
  path: string,
  runtime: Runtime,
  check: Check,
  checkUrl: (url: string, check: Check) => Promise<void>,
): Promise<void> {
  return withTempDir(async (dir) => {
    const bundle = await bundleProgram(path, dir);
    const [command = "", ...args] = await runtimeCommand(runtime);
    const program = { command, args: [...args, bundle] };
    await withServer(program, (url) => checkUrl(url, check));
  });
}

async function runNext(dir: string, check: Check): Promise<void> {
  const [node = ""] = await runtimeCommand(NODE);
  const args = await buildNextApp(dir, node);
  await withServer({ command: node, args, cwd: dir }, (url) => checkEndpoint(url, check));
}

/** Bundles a program with its packages. Returns the path to the bundle. */
async function bundleProgram(
  path: string,
  dir: string,
  flags: readonly string[] = [],
): Promise<string> {
  const bundle = `${dir}/program.mjs`;
  const source = `frameworks/${path}.ts`;
  const args = ["bundle", "--quiet", "--config=deno.json", ...flags, `--output=${bundle}`, source];
  await run("deno", args, { cwd: INTEROP });
  return bundle;
}

/** A server program, its arguments and its working directory. */
interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
}

/** Starts a server program on a free port, and stops the program after `use` returns. */
async function withServer(
  program: ServerProgram,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const { port, stop } = await startOnFreePort((port) => startServer(port, program));
  try {
    await use(`http://127.0.0.1:${port}/mcp`);
  } finally {
    await stop();
  }
}

/** Starts a server program, and waits until it listens. */
async function startServer(
  port: number,
  { command, args, cwd }: ServerProgram,
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const child = new Deno.Command(command, {
    args: [...args],
    env: { PORT: `${port}` },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    ...(cwd !== undefined && { cwd }),
  }).spawn();
  const printing = printErrors(child.stderr);
  const stop = async (): Promise<string> => {
    const pids = await processTree(child.pid);
    for (const pid of pids) signal(pid);
    await child.status;
    await waitUntilGone(pids);
    return await printing;
  };
  if (await isListening(port, child)) return { port, stop: async () => void await stop() };
  throw new ToolError(`Cannot start the server: not listening on port ${port}: ${await stop()}`);
}

/** Copies standard error of a program to that of this process. Returns the last characters. */
async function printErrors(stderr: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let tail = "";
  for await (const text of stderr.pipeThrough(new TextDecoderStream())) {
    console.error(text.trimEnd());
    tail = (tail + text).slice(-10_000);
  }
  return tail.trim();
}

function signal(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // The process has exited.
  }
}

/** Waits until a process accepts connections on the port. Returns false if it exits earlier. */
async function isListening(port: number, child: Deno.ChildProcess): Promise<boolean> {
  let hasExited = false;
  void child.status.then(() => {
    hasExited = true;
  });
  for (const end = performance.now() + 20_000; performance.now() < end && !hasExited;) {
    try {
      const connection = await within(1000, "connection", connectTcp(port));
      connection.destroy();
      return !hasExited;
    } catch {
      // The server is not listening yet.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return false;
}

async function withWorker(use: (url: string) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    const bundle = await bundleProgram("programs/worker", dir, ["--platform=browser"]);
    const files = new Map([["entry.js", await Deno.readFile(bundle)]]);
    const worker = await startWorker({ entry: "entry.js", files }, { MCP: "Mcp" }, [
      "enable_request_signal",
    ]);
    try {
      await use(new URL("/mcp", worker.url).href);
    } finally {
      await worker.close();
    }
  });
}
