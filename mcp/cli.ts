/**
 * The `parley-mcp` command. The `gateway` subcommand combines the servers in an `mcp.json` file
 * into one server, and `init` creates a project with a server or a client.
 *
 *     npx @parley/mcp gateway mcp.json
 *     deno run -A jsr:@parley/mcp/cli gateway mcp.json
 *     npx @parley/mcp init server my-server
 *
 * @module
 */

import { createServer, type Server } from "node:http";
import { parseArgs } from "node:util";
import { McpClient } from "./client/client.ts";
import { readMcpConfig } from "./clients/read_mcp_config.ts";
import { type CliIo, runProgram } from "./command/run_program.ts";
import { type Gateway, mcpGateway } from "./gateway/gateway.ts";
import { createProject, ProjectError } from "@parley/internal/create-project";
import { STARTERS } from "./init/starters.ts";
import { toNodeListener } from "./node.ts";
import { spawnServer } from "./process.ts";
import { mcpHandler } from "./serve/http/handler.ts";
import { serveStdio } from "./serve/pipe/stdio.ts";
import { createErrorPrinter } from "@parley/internal/error-printer";
import { clientTasks } from "./tasks/client.ts";
import { escapeText } from "@parley/internal/escape-text";

export type { CliIo };

const USAGE = `parley-mcp gateway FILE [options]

Serves the MCP servers of an mcp.json file as one server, over standard input and output.
The names of tools and prompts start with the name of their server.

parley-mcp init KIND FOLDER

Creates a project in a new folder, whose name is the name of the project.
The kind is "server" or "client".

Options of gateway
  --http PORT           serve over HTTP on this port instead; 0 selects a free port
  --host HOST           address to listen on with --http (default: 127.0.0.1)
  --allowed-host NAME   additional host name in the "Host" header with --http; repeatable
  -h, --help            show this text

Exit codes
  0  the client has disconnected, the command was interrupted, or the project was created
  2  the command line or the file is invalid, the port is not available, or the folder cannot be created
`;

/** A usage error, reported to the user in one sentence. */
class UsageError extends Error {}

/** Timeout for connecting to a server, in milliseconds. */
const CONNECT_MS = 30_000;

/**
 * Capabilities that the gateway declares to legacy servers. A legacy server does not receive the
 * capabilities of the gateway's client. A request that the client does not support receives an
 * error.
 */
const LEGACY_CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {} };

/** A parsed command line. */
interface GatewayArguments {
  readonly file: string;
  /** Port for HTTP, or `undefined` for standard input and output. */
  readonly port: number | undefined;
  readonly host: string;
  readonly allowedHosts: readonly string[];
}

/**
 * Runs a `parley-mcp` command. Resolves when the command has finished.
 *
 * @param args Arguments, without the program name.
 * @param io Access to output, files, environment variables and interrupts.
 * @returns The exit code. 0: the client has disconnected, the command was interrupted, or the
 * project was created. 2: the command line or the file is invalid, the port is not available, or
 * the folder cannot be created.
 *
 * @example Report a file that does not exist
 * ```ts
 * import { main } from "@parley/mcp/cli";
 * import { assertEquals, assertStringIncludes } from "@std/assert";
 *
 * let text = "";
 * const code = await main(["gateway", "none.json"], {
 *   out: () => {},
 *   err: (more) => text += more,
 *   readFile: () => Promise.reject(new Error("no such file")),
 *   env: {},
 *   signal: new AbortController().signal,
 * });
 * assertEquals(code, 2);
 * assertStringIncludes(text, 'Cannot read "none.json"');
 * ```
 */
export async function main(args: readonly string[], io: CliIo): Promise<number> {
  const [command, ...rest] = args;
  if (command === "help" || args.includes("--help") || args.includes("-h")) {
    io.out(USAGE);
    return 0;
  }
  try {
    if (command === "init") {
      io.out(await createProject(rest, STARTERS));
      return 0;
    }
    if (command !== "gateway") {
      throw new UsageError(
        command === undefined
          ? "Cannot run a command: no command specified"
          : `Cannot run "${command}": unknown command`,
      );
    }
    await serveGateway(readArguments(rest), io);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ProjectError)) throw error;
    io.err(`parley-mcp: ${escapeText(error.message)}\nRun "parley-mcp --help" for usage.\n`);
    return 2;
  }
}

function readArguments(args: readonly string[]): GatewayArguments {
  const { values, positionals } = parse(args);
  const [file, extra] = positionals;
  if (file === undefined) throw new UsageError("Cannot start the gateway: the FILE is missing");
  if (extra !== undefined) throw new UsageError(`Invalid arguments: unexpected "${extra}"`);
  const { http, host, "allowed-host": allowedHosts } = values;
  // Node.js listens on all interfaces if the host is empty, for example because of an unset shell
  // variable.
  if (host === "") throw new UsageError('Invalid arguments: "--host" must not be empty');
  if (http === undefined && (host !== undefined || allowedHosts !== undefined)) {
    throw new UsageError('Invalid arguments: "--host" and "--allowed-host" require "--http"');
  }
  const port = http === undefined ? undefined : Number(http);
  if (port !== undefined && !(/^\d{1,5}$/.test(http ?? "") && port <= 65_535)) {
    throw new UsageError(
      `Invalid arguments: "--http" must be a port from 0 to 65535, got "${http}"`,
    );
  }
  return { file, port, host: host ?? "127.0.0.1", allowedHosts: allowedHosts ?? [] };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        http: { type: "string" },
        host: { type: "string" },
        "allowed-host": { type: "string", multiple: true },
      },
    });
  } catch (error) {
    // The first sentence of a `parseArgs` error names the invalid argument. The remaining sentences
    // of the error explain how to pass a positional argument.
    const [reason] = messageOf(error).split(/\.? To specify|\.?\n/);
    throw new UsageError(`Invalid arguments: ${reason}`);
  }
}

/** Serves until the client disconnects or the signal aborts, and then stops all servers. */
async function serveGateway(args: GatewayArguments, io: CliIo): Promise<void> {
  const print = createErrorPrinter("parley-mcp", { print: (text) => io.err(`${text}\n`) });
  const report = (error: unknown): void => print(messageOf(error));
  const upstreams = await readUpstreams(args.file, io, report);
  // A server may take up to CONNECT_MS to connect, and an interrupt ends the wait.
  io.signal.addEventListener("abort", () => {
    for (const { client } of Object.values(upstreams)) client.disconnect().catch(report);
  }, { once: true });
  const gateway = await openGateway(upstreams, report);
  try {
    if (io.signal.aborted) return;
    if (args.port === undefined) {
      await serveStdio(gateway.server, { signal: io.signal, exit: false });
    } else {
      await serveHttp(gateway, { ...args, port: args.port }, io, report);
    }
  } finally {
    await gateway.close();
  }
}

/** Returns a client for each server in the file. */
async function readUpstreams(
  file: string,
  { env, readFile }: CliIo,
  report: (error: unknown) => void,
): Promise<Readonly<Record<string, { readonly client: McpClient }>>> {
  try {
    const configs = readMcpConfig(parseJson(await readFile(file)), {
      env,
      spawn: spawnServer,
    });
    const upstreams = Object.entries(configs).map(([name, config]) => {
      const client = new McpClient({
        ...config,
        capabilities: LEGACY_CAPABILITIES,
        extensions: [clientTasks()],
        connectTimeoutMs: CONNECT_MS,
        onError: report,
      });
      return [name, { client }] as const;
    });
    if (upstreams.length === 0) throw new TypeError("the file contains no servers");
    return Object.fromEntries(upstreams);
  } catch (error) {
    throw new UsageError(`Cannot read "${file}": ${messageOf(error)}`);
  }
}

/**
 * Parses a file, which may start with a byte order mark. The error contains no part of the file,
 * because the file may contain secrets.
 */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const [where = ""] = / at position \d+( \(line \d+ column \d+\))?/.exec(messageOf(error)) ?? [];
    throw new TypeError(`the file is not valid JSON${where}`);
  }
}

async function openGateway(
  upstreams: Readonly<Record<string, { readonly client: McpClient }>>,
  onError: (error: unknown) => void,
): Promise<Gateway> {
  try {
    return await mcpGateway({ name: "parley-gateway", version: "0.1.0", upstreams, onError });
  } catch (error) {
    throw new UsageError(`Cannot start the gateway: ${messageOf(error)}`);
  }
}

async function serveHttp(
  { server }: Gateway,
  { port, host, allowedHosts }: GatewayArguments & { readonly port: number },
  { out, signal }: CliIo,
  onError: (error: unknown) => void,
): Promise<void> {
  const names = ["localhost", "127.0.0.1", "[::1]", ...allowedHosts];
  const handler = toHandler(server, names);
  const http = createServer(toNodeListener(handler, { onError }));
  try {
    const bound = await listen(http, port, host);
    const shown = host.includes(":") ? `[${host}]` : host;
    out(`parley-mcp: listening on http://${shown}:${bound}/mcp\n`);
    await aborted(signal);
  } finally {
    await handler.close();
    http.closeAllConnections();
    await new Promise<void>((resolve) => http.close(() => resolve()));
  }
}

function toHandler(server: Gateway["server"], allowedHosts: readonly string[]) {
  try {
    return mcpHandler(server, { allowedHosts });
  } catch (error) {
    throw new UsageError(`Invalid arguments: "--allowed-host": ${messageOf(error)}`);
  }
}

/** Starts listening, and returns the port. */
function listen(http: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once("error", (error) => {
      reject(new UsageError(`Cannot listen on "${host}", port ${port}: ${messageOf(error)}`));
    });
    http.listen(port, host, () => {
      const address = http.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Before version 24, Node.js lacks `import.meta.main`, so the npm package starts bin.ts instead of
// this file.
if ((import.meta as { readonly main?: boolean }).main === true) await runProgram(main);
