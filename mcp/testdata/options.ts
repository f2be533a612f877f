/**
 * Servers, clients and calls for the test of options objects.
 *
 * @module
 */

import {
  type ClientExtension,
  createMemoryTransport,
  type ExtensionSession,
  McpClient,
  type McpClientConfig,
  type Pipe,
  type PipeSource,
} from "../client.ts";
import type { SqlClient } from "../postgres.ts";
import { McpServer, type RequestContext, servePipe, type ServeStdioOptions } from "../server.ts";
import type { McpTelemetryOptions, TelemetrySpan } from "../telemetry.ts";
import { createPipePair } from "../transport/memory.ts";

/** Name and version of a server. */
export const SERVER = { name: "s", version: "1" } as const;

/** A server without tools. */
export const server: McpServer = new McpServer(SERVER);
/** A transport to the server. */
export const transport: PipeSource = createMemoryTransport((pipe) => servePipe(server, pipe));
/** A client that is not connected. */
export const client: McpClient = new McpClient({ transport });

function ignore(): void {}

/** Calls a function with a client that is connected to the server. */
export async function withClient(
  use: (client: McpClient) => Promise<unknown>,
  config: Partial<McpClientConfig> = {},
): Promise<void> {
  await using connected = new McpClient({ transport, ...config });
  await connected.connect();
  await use(connected);
}

/** Calls a function with the session that an extension of a connected client receives. */
export async function withSession(
  use: (session: ExtensionSession) => Promise<unknown>,
): Promise<void> {
  const opened = Promise.withResolvers<ExtensionSession>();
  const extension: ClientExtension = { id: "example.com/test", opened: opened.resolve };
  await withClient(async () => await use(await opened.promise), { extensions: [extension] });
}

/** Calls a function with the context of a tool call. Throws the error of the function. */
export async function withContext(
  use: (context: RequestContext) => Promise<unknown>,
): Promise<void> {
  const busy = new McpServer(SERVER);
  let outcome: Promise<unknown> = Promise.reject(new Error("the tool was not called"));
  outcome.catch(() => {});
  busy.registerTool({ name: "t" }, async (_args, context) => {
    outcome = use(context);
    await outcome.catch(() => {});
  });
  const params = { name: "t", arguments: {} };
  await busy.handleRequest({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  await outcome;
}

/** Returns a pipe whose client has disconnected. */
export function endedPipe(): Pipe {
  const [end, pipe] = createPipePair();
  end.close();
  return pipe;
}

/**
 * Lines that have ended, so that the function neither reads standard input nor ends the process.
 */
export const LINES: Required<Pick<ServeStdioOptions, "reader" | "writer">> = {
  reader: { readLine: () => Promise.resolve(null) },
  writer: { writeLine: () => Promise.resolve() },
};

/** A database without rows. */
export const SQL: SqlClient = {
  query: () => Promise.resolve({ rows: [] }),
  listen: () => Promise.resolve(async () => {}),
};

/** The parts of OpenTelemetry that record nothing. */
export const TELEMETRY: McpTelemetryOptions<unknown, TelemetrySpan> = {
  tracer: { startSpan: () => ({ setAttributes: ignore, setStatus: ignore, end: ignore }) },
  trace: { setSpan: () => 0, getSpanContext: () => undefined },
  context: { active: () => 0, with: ignore },
};
