/**
 * Checks the `parley-mcp` and `parley-runs` commands from the installed npm packages: usage, exit
 * codes and errors, a tool call, a tool call that the gateway relays, and a list of runs.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { McpClient } from "../../mcp/client.ts";
import { spawnServer } from "../../mcp/process.ts";
import { run, tryRun } from "../cli.ts";

/** An MCP server on standard input and output. */
const SERVER = `import { McpServer, serveStdio } from "@parley/mcp/server";
const server = new McpServer({ name: "adder", version: "1.0.0" });
server.registerTool({
  name: "add",
  description: "Adds two numbers",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
}, ({ a, b }) => String(a + b));
await serveStdio(server);
`;

/** A program that creates an SQLite file without runs. */
const CREATE_RUNS = `import { openRuns } from "@parley/runtime/runs";
import { sqliteRuns } from "@parley/runtime/sqlite";
await openRuns(sqliteRuns("runs.db"), {}).close();
`;

/** Hides the Node.js 22 warning that `node:sqlite` is experimental. */
const ENV = { NODE_NO_WARNINGS: "1" };

const HINT = 'Run "parley-mcp --help" for usage.';

/**
 * Checks the commands on one runtime.
 *
 * @param project Folder of a project that has the packages installed, but not `pg-boss`.
 * @param runtime The runtime's binary, and the flags that start a program.
 * @throws {Error} If a command does not behave as documented.
 */
export async function checkCommands(project: string, runtime: readonly string[]): Promise<void> {
  const [program = "", ...flags] = runtime;
  const bin = `${project}/node_modules/.bin`;
  const folder = await Deno.makeTempDir({ dir: project, prefix: "commands-" });
  await Deno.writeTextFile(`${folder}/server.mjs`, SERVER);
  await Deno.writeTextFile(`${folder}/create_runs.mjs`, CREATE_RUNS);
  const start = async (command: string, ...args: readonly string[]): Promise<Ended> => {
    const words = [...flags, `${bin}/${command}`, ...args];
    const { code, stderr, stdout } = await tryRun(program, words, { cwd: folder, env: ENV });
    return { code, err: stderr, out: stdout };
  };
  await checkMcp((...args) => start("parley-mcp", ...args));
  const server = [program, ...flags, "server.mjs"];
  assertEquals(await start("parley-mcp", "call", "add", "a=1", "b=2", "--", ...server), {
    code: 0,
    err: "",
    out: "3\n",
  });
  await checkRelay([program, ...flags], `${bin}/parley-mcp`, folder);
  await checkRuns(
    (...args) => start("parley-runs", ...args),
    () => run(program, [...flags, "create_runs.mjs"], { cwd: folder }),
  );
}

/** Output and exit code of a command. */
interface Ended {
  readonly code: number;
  readonly err: string;
  readonly out: string;
}

type Start = (...args: readonly string[]) => Promise<Ended>;

async function checkMcp(start: Start): Promise<void> {
  const help = await start("--help");
  assertEquals([help.code, help.err], [0, ""]);
  assertStringIncludes(help.out, "parley-mcp gateway FILE [options]");
  const missing = await start("gateway", "none.json");
  assertEquals([missing.code, missing.out], [2, ""]);
  const [reason = "", ...hint] = missing.err.split("\n");
  assertMatch(reason, /^parley-mcp: Cannot read "none\.json": /);
  assertEquals(hint, [HINT, ""]);
}

/** Calls a tool on a server process through the gateway. */
async function checkRelay(
  [program = "", ...flags]: readonly string[],
  command: string,
  folder: string,
): Promise<void> {
  const adder = { command: program, args: [...flags, `${folder}/server.mjs`] };
  const file = `${folder}/mcp.json`;
  await Deno.writeTextFile(file, JSON.stringify({ mcpServers: { adder } }));
  const transport = spawnServer(program, [...flags, command, "gateway", file]);
  const client = new McpClient({ transport });
  await client.connect();
  try {
    const { content } = await client.callTool("adder_add", { a: 1, b: 2 });
    assertEquals(content, [{ type: "text", text: "3" }]);
  } finally {
    await client.disconnect();
  }
  assertEquals(transport.exit, { code: 0, signal: null });
}

async function checkRuns(start: Start, createRuns: () => Promise<unknown>): Promise<void> {
  const help = await start("--help");
  assertEquals([help.code, help.err], [0, ""]);
  assertStringIncludes(help.out, "parley-runs [--database DATABASE] COMMAND");
  const list = ["--database", "runs.db", "list"] as const;
  assertEquals(await start(...list), {
    code: 1,
    err: 'parley-runs: Cannot open the runs in "runs.db": the file does not exist\n',
    out: "",
  });
  await createRuns();
  assertEquals(await start(...list, "--json"), { code: 0, err: "", out: "" });
  assertEquals(await start("--database", "postgres://127.0.0.1:1/app", "list"), {
    code: 1,
    err: 'parley-runs: Cannot load the driver "pg-boss": the package is not installed; ' +
      'run "npm install pg-boss@12"\n',
    out: "",
  });
}
