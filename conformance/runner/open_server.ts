/**
 * Opens the first session with an MCP server under test.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import {
  assertDistinctResponses,
  listFixtures,
  NoResponse,
  openSession,
  type ServerInfo,
} from "../kinds/open_session.ts";
import { CaseEnd } from "../kinds/case_end.ts";
import { McpWatch } from "../invariants/mcp_watch.ts";
import { HttpServer } from "../subject/http_server.ts";
import { startManagedHttpServer } from "../subject/managed_http_server.ts";
import type { ProcessGroups } from "../subject/process_groups.ts";
import { RpcConnection } from "../subject/rpc_connection.ts";
import { startStdioServer } from "../subject/stdio_server.ts";
import { Trace } from "../subject/trace.ts";
import { calibrate, type Executor } from "./executor.ts";
import {
  type Connect,
  type Connection,
  downReason,
  OPEN_MS,
  ServerExecutor,
  type ServerSettings,
} from "./server_executor.ts";

/** Time allowed for the startup of a server that the kit starts. */
const START_MS = 20_000;

/**
 * Starts a server over stdio and reads its capabilities.
 *
 * @throws {KitError} With code `subject_start` if the server fails to start or to open a session.
 */
export async function openStdioServer(
  command: readonly string[],
  groups: ProcessGroups,
  settings: ServerSettings,
): Promise<Executor> {
  const watch = new McpWatch("server");
  const connect = (): Promise<Connection> => startStdioServer(command, groups, watch.lines());
  return await openServer(connect, settings, { watch });
}

/** URL of an HTTP server, and the command that starts the server. */
export interface HttpAddress {
  /** URL of the server. */
  readonly url: string;
  /**
   * Program and arguments that start the server. `{port}` in the command and in `url` is replaced
   * with a free port.
   */
  readonly start?: readonly string[];
}

/**
 * Connects to a server over HTTP and reads its capabilities.
 *
 * @throws {KitError} With code `subject_start` if the server fails to start or to open a session.
 */
export async function openHttpServer(
  { url, start }: HttpAddress,
  groups: ProcessGroups,
  settings: ServerSettings,
): Promise<Executor> {
  const watch = new McpWatch("server");
  if (start === undefined) {
    const connect = (): HttpServer => new HttpServer(url, { ...settings, watcher: watch.http() });
    return await openServer(() => Promise.resolve(connect()), settings, { watch });
  }
  const startMs = START_MS * settings.timeoutFactor;
  const host = await startManagedHttpServer({ command: start, url, startMs }, groups);
  const connect = async (): Promise<Connection> => {
    await host.revive();
    return new HttpServer(host.url, { ...settings, host, watcher: watch.http() });
  };
  try {
    return await openServer(connect, settings, { watch, stop: () => host.close() });
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** What belongs to a server besides its connections. */
interface ServerParts {
  /** Checks everything that passes over the connections. */
  readonly watch: McpWatch;
  /** Stops the server that all connections share. */
  readonly stop?: () => Promise<void>;
}

async function openServer(
  connect: Connect,
  settings: ServerSettings,
  { watch, stop = () => Promise.resolve() }: ServerParts,
): Promise<Executor> {
  const began = performance.now();
  let connection = await connect();
  const ms = OPEN_MS * settings.timeoutFactor;
  const requestedRevision = settings.revision;
  const trace = new Trace();
  let peer = attach(connection, trace);
  let info: ServerInfo | undefined;
  try {
    info = await openSession(peer, requestedRevision, ms);
    const scale = calibrate(performance.now() - began, settings.timeoutFactor);
    const roundTripMs = await assertDistinctResponses(peer, info, ms);
    if (downReason(connection) !== undefined) {
      // The cases find the request at which the server exited.
      await connection.close();
      connection = await connect();
      peer = attach(connection, trace);
      await openSession(peer, requestedRevision, ms);
    }
    const fixtures = await listFixtures(peer, info, ms);
    return new ServerExecutor(
      { connect, watch, stop, requestedRevision, info, fixtures, scale, roundTripMs },
      connection,
    );
  } catch (error) {
    const exit = downReason(connection);
    const reason = exit ?? connection.errorExcerpt();
    const [line] = connection.transport === "stdio" ? connection.takeMalformedLines() : [];
    await connection.close();
    if (!(error instanceof CaseEnd)) throw error;
    const { expected, got: answer = "no response" } = error.run;
    const got = line === undefined ? answer : `${answer}; the server wrote ${JSON.stringify(line)}`;
    const openError = new KitError(
      KitErrorCode.SubjectStart,
      `Cannot open a session: expected ${expected}, got ${got}${reason ? ` (${reason})` : ""}`,
    );
    const isResponding = exit === undefined && (peer.hasReceived || line !== undefined);
    if (info !== undefined || !isResponding) throw openError;
    return new ServerExecutor({
      connect,
      watch,
      stop,
      requestedRevision,
      info: unknownServer(requestedRevision),
      fixtures: new Set(),
      scale: settings.timeoutFactor,
      roundTripMs: 0,
      failedOpen: {
        error: openError,
        run: { ...error.run, got, trace: trace.lines() },
        isHopeless: error instanceof NoResponse,
      },
    }, connection);
  }
}

function attach(connection: Connection, trace: Trace): RpcConnection {
  const peer = new RpcConnection(connection, trace);
  connection.attach(peer);
  return peer;
}

/** Returns placeholder information about a server that could not open a session. */
function unknownServer(revision: string): ServerInfo {
  const none: ReadonlySet<string> = new Set();
  return { name: "unnamed server", version: "0", revision, capabilities: none, extensions: none };
}
