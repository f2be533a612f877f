/**
 * The `parley-mcp` command. The subcommands `list`, `call`, `read`, `prompt` and `inspect` send
 * requests to a server. `gateway` combines the servers in an `mcp.json` file into one server, and
 * `init` creates a project with a server or a client.
 *
 *     npx @parley/mcp list https://mcp.example.com
 *     npx @parley/mcp gateway mcp.json
 *     deno run -A jsr:@parley/mcp/cli gateway mcp.json
 *     npx @parley/mcp init server my-server
 *
 * @module
 */

import { createServer, type Server } from "node:http";
import { McpClient } from "./client/client.ts";
import { runClientCommand } from "./command/client_command.ts";
import { CLIENT_COMMANDS, parseOptions } from "./command/command_line.ts";
import { readConfigFile } from "./command/config_file.ts";
import { messageOf, UsageError } from "./command/exit_code.ts";
import { type CliIo, runProgram } from "./command/run_program.ts";
import { USAGE } from "./command/usage.ts";
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

/** Timeout for connecting to a server, in milliseconds. */
const CONNECT_MS = 30_000;

/** Names of all commands, for an error message. */
const COMMANDS = `${CLIENT_COMMANDS.join(", ")}, gateway or init`;

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
 * @returns The exit code. 0: the request has succeeded, the client of the gateway has disconnected,
 * the gateway was interrupted, or the project was created. 1: the tool has failed. 2: the command
 * line or a file is invalid, the port is not available, or the folder cannot be created. 3: the
 * server requires authorization or has denied it. 4: the server is not reachable. 5: the server has
 * responded with an error. 6: the request has timed out. 130: the request was interrupted.
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
 *   writeFile: () => Promise.resolve(),
 *   readStdin: () => Promise.resolve(""),
 *   env: {},
 *   signal: new AbortController().signal,
 * });
 * assertEquals(code, 2);
 * assertStringIncludes(text, 'Cannot read "none.json"');
 * ```
 */
export async function main(args: readonly string[], io: CliIo): Promise<number> {
  const [command, ...rest] = args;
  const end = args.indexOf("--");
  // The arguments of a server's program follow "--".
  const own = end === -1 ? args : args.slice(0, end);
  if (command === "help" || own.includes("--help") || own.includes("-h")) {
    io.out(USAGE);
    return 0;
  }
  try {
    if (command === "init") {
      io.out(await createProject(rest, STARTERS));
      return 0;
    }
    const clientCommand = CLIENT_COMMANDS.find((name) => name === command);
    if (clientCommand !== undefined) {
      return await runClientCommand(clientCommand, rest, { io, spawn: spawnServer });
    }
    if (command !== "gateway") {
      throw new UsageError(
        command === undefined
          ? `Cannot run a command: no command specified; use ${COMMANDS}`
          : `Cannot run "${command}": unknown command; use ${COMMANDS}`,
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

const GATEWAY_OPTIONS = {
  http: { type: "string" },
  host: { type: "string" },
  "allowed-host": { type: "string", multiple: true },
} as const;

function readArguments(args: readonly string[]): GatewayArguments {
  const { values, positionals } = parseOptions(args, GATEWAY_OPTIONS);
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

/** Serves until the client disconnects or the signal aborts, and then stops all servers. */
async function serveGateway(args: GatewayArguments, io: CliIo): Promise<void> {
  const print = createErrorPrinter("parley-mcp", { print: (text) => io.err(`${text}\n`) });
  const report = (error: unknown): void => print(messageOf(error));
  const upstreams = await readUpstreams(args.file, io, report);
  const disconnect = (): void => {
    for (const { client } of Object.values(upstreams)) client.disconnect().catch(report);
  };
  // A server may take up to CONNECT_MS to connect, and an interrupt ends the wait. Later, the
  // gateway disconnects its clients, and does not report this as a loss of their connections.
  io.signal.addEventListener("abort", disconnect, { once: true });
  const gateway = await openGateway(upstreams, report)
    .finally(() => io.signal.removeEventListener("abort", disconnect));
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

/** The servers behind the gateway, each with one client for all callers. */
type CommandUpstreams = Readonly<
  Record<string, { readonly client: McpClient; readonly listResources: boolean }>
>;

/** Returns a client for each server in the file. */
async function readUpstreams(
  file: string,
  io: CliIo,
  report: (error: unknown) => void,
): Promise<CommandUpstreams> {
  const servers = await readConfigFile(file, io, spawnServer);
  const upstreams = servers.map(({ name, config, listResources }) => {
    const client = new McpClient({
      ...config,
      capabilities: LEGACY_CAPABILITIES,
      extensions: [clientTasks()],
      connectTimeoutMs: CONNECT_MS,
      onError: report,
    });
    return [name, { client, listResources }] as const;
  });
  return Object.fromEntries(upstreams);
}

async function openGateway(
  upstreams: CommandUpstreams,
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

// Before version 24, Node.js lacks `import.meta.main`, so the npm package starts bin.ts instead of
// this file.
if ((import.meta as { readonly main?: boolean }).main === true) await runProgram(main);
