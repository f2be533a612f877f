/**
 * Code shared by the checks of third-party servers: start, connection, checks and shutdown.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  McpClient,
  type McpClientConfig,
  McpError,
  type McpErrorCodeType,
} from "@parley/mcp/client";
import { spawnServer } from "@parley/mcp/process";
import type { ProtocolVersion, RpcNotification } from "@parley/mcp/protocol";
import { type Check, type Subject, within } from "../check.ts";
import { MessageBuffer } from "../message_buffer.ts";
import { processTree, waitUntilGone } from "../processes.ts";

/** A server that is already running or that starts when a client connects. */
export interface Opened {
  /** Transport to the server. */
  readonly transport: McpClientConfig["transport"];
  /** URL of the server, for HTTP. */
  readonly url?: string;
  /** Returns the identifiers of the server processes. */
  processes(): Promise<readonly number[]>;
  /** Releases resources that remain after the client has disconnected. */
  close(): Promise<void>;
}

/** Arguments for a server's checks. */
export interface ConnectedServer {
  /** The connected client. */
  readonly client: McpClient;
  /** URL of the server, for HTTP. */
  readonly url: string | undefined;
  /** Notifications received by the client. */
  readonly notifications: MessageBuffer<RpcNotification>;
  /** Runs a check. */
  readonly check: Check;
}

/** A third-party server package, in combination with one transport. */
export interface ServerKind {
  /** Name and version of the package, and the transport. */
  readonly name: string;
  /** Starts the server. */
  readonly open: () => Opened | Promise<Opened>;
  /** Value of the client's `protocol` option. If omitted, the client detects the era. */
  readonly protocol?: "legacy" | ProtocolVersion;
  /** Expected protocol version. */
  readonly version: string;
  /** URI of the folder that the client returns as its root. */
  readonly root?: string;
  /**
   * Name of a tool that never returns. If set, a check kills the server during a call to this tool.
   */
  readonly killedDuring?: string;
  /** Runs the server's checks. */
  readonly checks: (connected: ConnectedServer) => Promise<void>;
}

/** Creates a {@linkcode Subject} from a third-party server. */
export function serverSubject(kind: ServerKind): Subject {
  const { name, open, protocol, version, root = "file:///home/ada", killedDuring, checks } = kind;
  return {
    name: `our client > ${name}`,
    run: async (check) => {
      const { transport, url, processes, close } = await open();
      const notifications = new MessageBuffer<RpcNotification>();
      const client = createClient(root, {
        transport,
        onNotification: notifications.push,
        ...(protocol !== undefined && { protocol }),
      });
      try {
        await check("connects", async () => {
          await client.connect();
          assertEquals(client.server?.protocolVersion, version);
        }, 30_000);
        const pids = await processes();
        if (client.connected) await checks({ client, url, notifications, check });
        await check("disconnects and terminates the processes", async () => {
          await client.disconnect();
          assertEquals(client.connected, false);
          await assertMcpError(client.listTools(), "protocol_error");
          await close();
          await waitUntilGone(pids);
        });
        if (killedDuring !== undefined) {
          await check(
            "a call rejects when the server is killed",
            () => assertReconnects(client, processes, killedDuring),
            20_000,
          );
        }
      } finally {
        await within(10_000, "shutdown", Promise.allSettled([client.disconnect(), close()]));
      }
    },
  };
}

/**
 * Asserts that a call rejects immediately when the server is killed, and that the client can
 * reconnect.
 */
async function assertReconnects(
  client: McpClient,
  processes: Opened["processes"],
  tool: string,
): Promise<void> {
  await client.connect();
  const call = assertMcpError(client.callTool(tool, {}), "transport_error");
  signalAll(await processes(), "SIGKILL");
  await call;
  assertEquals(client.connected, false);
  await client.connect();
  assert((await client.listTools()).length > 0);
  const pids = await processes();
  await client.disconnect();
  await waitUntilGone(pids);
}

/** Creates a client that has a handler for every kind of input request. */
export function createClient(root: string, config: McpClientConfig): McpClient {
  return new McpClient({
    clientInfo: { name: "interop", version: "1.0.0" },
    handlers: {
      elicit: () => ({ action: "accept", content: { name: "Ada" } }),
      createMessage: () => ({
        role: "assistant",
        model: "none",
        content: { type: "text", text: "Something" },
      }),
      listRoots: () => [{ uri: root, name: "Home" }],
    },
    ...config,
  });
}

/** Returns a function that starts a server process on stdio. */
export function process(
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): () => Opened {
  return () => {
    const env = { ...Deno.env.toObject(), ...variables };
    const transport = spawnServer(command, args, { env, graceMs: 500 });
    return {
      transport,
      processes: async () => transport.pid === undefined ? [] : await processTree(transport.pid),
      close: () => Promise.resolve(),
    };
  };
}

/** Returns the `deno` arguments that run a package or a program from this folder. */
export function denoRun(...program: string[]): string[] {
  const config = new URL("../deno.json", import.meta.url).pathname;
  return ["run", "--quiet", "--frozen", "-A", `--config=${config}`, ...program];
}

/** Returns the path to a program in this folder. */
export function programPath(name: string): string {
  return new URL(`../programs/${name}.ts`, import.meta.url).pathname;
}

/** Options for {@linkcode openHttpProcess}. */
interface HttpProcessOptions {
  /**
   * URL path of the MCP endpoint.
   *
   * @default {"/mcp"}
   */
  readonly path?: string;
  /** Port of the server. If omitted, the server prints its port. */
  readonly port?: string;
  /**
   * Pattern of the line that the server prints when it is ready. The pattern's first capture group
   * matches the port, unless `port` is given.
   */
  readonly ready?: RegExp;
}

/** Starts a server process over HTTP and waits until it prints that it is ready. */
export async function openHttpProcess(
  command: string,
  args: readonly string[],
  toTransport: (url: string) => McpClientConfig["transport"],
  { path = "/mcp", port: known, ready = /listening on port (\d+)/ }: HttpProcessOptions = {},
): Promise<Opened> {
  const child = new Deno.Command(command, {
    args: [...args],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const found = Promise.withResolvers<string | undefined>();
  const drained = drain(child.stderr, ready, found.resolve);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => closed ??= end(child, drained);
  try {
    const port = await within(20_000, "start of the server", found.promise) ?? known;
    const url = `http://127.0.0.1:${port}${path}`;
    return {
      transport: toTransport(url),
      url,
      processes: () => processTree(child.pid),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function drain(
  stream: ReadableStream<Uint8Array>,
  ready: RegExp,
  found: (port: string | undefined) => void,
): Promise<void> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream() as TextDecoding)) {
    if (text.length < 10_000) text += chunk;
    const match = ready.exec(text);
    if (match !== null) found(match[1]);
  }
}

type TextDecoding = TransformStream<Uint8Array, string>;

/**
 * Terminates the process and its descendants, because a launcher such as `npx` might not forward
 * signals.
 */
async function end(child: Deno.ChildProcess, drained: Promise<void>): Promise<void> {
  const pids = await processTree(child.pid);
  signalAll(pids, "SIGTERM");
  await waitUntilGone(pids, 3000).catch(() => signalAll(pids, "SIGKILL"));
  await child.status;
  await drained;
}

function signalAll(pids: readonly number[], signal: Deno.Signal): void {
  for (const pid of pids) {
    try {
      Deno.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

/** Asserts that a call rejects with an `McpError` that has the given code. */
export async function assertMcpError(
  call: Promise<unknown>,
  code: McpErrorCodeType,
  rpcCode?: number,
): Promise<void> {
  const error = await assertRejects(() => call, McpError);
  assertEquals([error.code, error.rpcCode], [code, rpcCode], error.message);
}

/** Returns the text of a tool result. */
export async function textOf(call: ReturnType<McpClient["callTool"]>): Promise<string> {
  const [block] = (await call).content;
  assert(block?.type === "text", "The result is not text");
  return block.text;
}

/** Checks that a call times out and can be aborted, and that the connection then stays open. */
export async function checkCancellation(
  { client, check }: ConnectedServer,
  tool: string,
  args: Record<string, unknown> = {},
): Promise<void> {
  await check(
    "a call that times out",
    () => assertMcpError(client.callTool(tool, args, { timeoutMs: 100 }), "timeout"),
  );
  await check("an aborted call", async () => {
    const reason = new Error("Enough");
    const controller = new AbortController();
    const call = client.callTool(tool, args, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 20);
    assertEquals(await call.catch((error) => error), reason);
  });
  await check("the connection stays open", async () => {
    assert((await client.listTools()).length > 0);
  });
}
