/**
 * One process of an MCP server that runs in several processes. The `REPLICA` environment variable
 * contains a {@linkcode ReplicaOptions} object as JSON. The program prints `ready` when it accepts
 * requests, and one line for each effect of its tools.
 *
 * @module
 */

import { createServer } from "node:http";
import postgres from "postgres";
import { toNodeListener } from "@parley/mcp/node";
import {
  createTables,
  fromPostgres,
  postgresChangeBus,
  postgresTaskStore,
} from "@parley/mcp/postgres";
import { mcpHandler, McpServer } from "@parley/mcp/server";
import { type ServerTasks, serverTasks } from "@parley/mcp/tasks";

/** Options for the program. */
export interface ReplicaOptions {
  /** Name of the process. */
  readonly name: string;
  /** Port on 127.0.0.1. */
  readonly port: number;
  /** URL of the database. If omitted, the process shares neither tasks nor change notifications. */
  readonly database?: string;
  /**
   * Byte value that fills the 32-byte request-state key. If omitted, the process uses its own
   * random key.
   */
  readonly key?: number;
  /**
   * URLs of all processes, keyed by process name. If omitted, session requests are not forwarded.
   */
  readonly replicas?: Readonly<Record<string, string>>;
  /** See the `allowedHosts` option of `mcpHandler`. */
  readonly allowedHosts?: readonly string[];
  /** See the `leaseMs` option of `serverTasks`. */
  readonly leaseMs: number;
}

const FORM = {
  method: "elicitation/create",
  params: {
    message: "Name?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } } },
  },
} as const;

function addTools(server: McpServer, jobs: ServerTasks, name: string): void {
  const endless = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  server.registerTool({ name: "who", description: "Names the process" }, () => name);
  server.registerTool({ name: "ask", description: "Asks for a name" }, async (_args, { ask }) => {
    const { content } = await ask("name", FORM);
    return `${name}: ${content?.name}`;
  });
  server.registerTool({ name: "task", description: "Ends when cancelled" }, async (_, context) => {
    const { signal, setStatusMessage } = await jobs.start(context);
    signal.addEventListener("abort", () => console.log("aborted"));
    await setStatusMessage(name);
    return await endless(signal);
  });
  server.registerTool({ name: "ask_task", description: "Asks" }, async (_args, context) => {
    const { ask } = await jobs.start(context);
    const { content } = await ask("name", FORM);
    return `${name}: ${content?.name}`;
  });
  server.registerTool({ name: "quick_task", description: "Ends" }, async (_args, context) => {
    await jobs.start(context);
    return name;
  });
  server.registerTool({ name: "pay", description: "Never ends" }, async (_args, context) => {
    context.signal.addEventListener("abort", () => console.log("aborted"));
    console.log("paid");
    await context.progress(1);
    return await endless(context.signal);
  });
  server.registerTool({ name: "touch", description: "Updates and adds" }, () => {
    server.resourceUpdated("note:1");
    server.registerTool({ name: `added_${crypto.randomUUID()}`, description: "" }, () => "");
    return name;
  });
  server.registerResource({ uri: "note:1", name: "note" }, () => "text");
}

async function main(): Promise<void> {
  // The test sets the `REPLICA` environment variable.
  const options = JSON.parse(Deno.env.get("REPLICA") ?? "") as ReplicaOptions;
  const { name, port, database, key, replicas, allowedHosts, leaseMs } = options;
  const sql = database === undefined
    ? undefined
    : fromPostgres(postgres(database, { onnotice: () => {} }));
  if (sql !== undefined) await createTables(sql).catch((error) => console.log("tables", error));
  const jobs = serverTasks({
    pollIntervalMs: 50,
    leaseMs,
    ...(sql === undefined ? {} : { store: postgresTaskStore(sql) }),
  });
  const server = new McpServer({
    name: "replicated",
    version: "1.0.0",
    extensions: [jobs],
    ...(key === undefined ? {} : { requestState: { keys: [new Uint8Array(32).fill(key)] } }),
    ...(sql === undefined ? {} : { changeBus: postgresChangeBus(sql) }),
  });
  addTools(server, jobs, name);
  const handler = mcpHandler(server, {
    ...(allowedHosts === undefined ? {} : { allowedHosts }),
    sessions: replicas === undefined ? {} : { route: { replica: name, replicas } },
  });
  createServer(toNodeListener(handler)).listen(port, "127.0.0.1", () => console.log("ready"));
}

if (import.meta.main) await main();
