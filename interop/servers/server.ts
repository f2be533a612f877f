/**
 * What the servers of others have in common: how they are started, connected to, tried and ended.
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
import type { RpcNotification } from "@parley/mcp";
import { type Check, type Subject, within } from "../check.ts";
import { Inbox } from "../inbox.ts";
import { processTree, waitUntilGone } from "../processes.ts";

/** A server that runs, or will when a client connects. */
export interface Opened {
  /** Leads to it. */
  readonly transport: McpClientConfig["transport"];
  /** The ids of its processes. */
  processes(): Promise<readonly number[]>;
  /** Ends what the client does not end. */
  close(): Promise<void>;
}

/** What the checks of a server work with. */
export interface Tried {
  /** Our client, connected. */
  readonly client: McpClient;
  /** What the server has told it. */
  readonly heard: Inbox<RpcNotification>;
  /** Runs a check. */
  readonly check: Check;
}

/** A server that somebody else wrote, and a way to it. */
export interface ServerKind {
  /** The package with its version, and the way. */
  readonly name: string;
  /** Starts it. */
  readonly open: () => Opened | Promise<Opened>;
  /** What our client is pinned to. Default: nothing. */
  readonly protocol?: string;
  /** The version that the two are to agree on. */
  readonly version: string;
  /** The URI of the folder that the server may see. */
  readonly root?: string;
  /** What is checked. */
  readonly checks: (tried: Tried) => Promise<void>;
}

/** Makes a subject of a server. */
export function serverSubject(kind: ServerKind): Subject {
  const { name, open, protocol, version, root = "file:///home/ada", checks } = kind;
  return {
    name: `our client > ${name}`,
    run: async (check) => {
      const { transport, processes, close } = await open();
      const heard = new Inbox<RpcNotification>();
      const client = createClient(root, {
        transport,
        notified: heard.push,
        ...(protocol !== undefined && { protocol }),
      });
      try {
        await check("connects", async () => {
          await client.connect();
          assertEquals(client.server?.protocolVersion, version);
        }, 30_000);
        const pids = await processes();
        if (client.connected) await checks({ client, heard, check });
        await check("disconnects, and leaves no process", async () => {
          await client.disconnect();
          assertEquals(client.connected, false);
          await assertMcpError(client.listTools(), "protocol_error");
          await close();
          await waitUntilGone(pids);
        });
      } finally {
        await within(10_000, "the end", Promise.allSettled([client.disconnect(), close()]));
      }
    },
  };
}

function createClient(root: string, config: McpClientConfig): McpClient {
  return new McpClient({
    info: { name: "interop", version: "1.0.0" },
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

/** A server process on its standard streams. */
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

/** The arguments that make `deno` run a program of this folder, or a package. */
export function denoRun(...program: string[]): string[] {
  const config = new URL("../deno.json", import.meta.url).pathname;
  return ["run", "--quiet", "--frozen", "-A", `--config=${config}`, ...program];
}

/** The path of a program of this folder. */
export function programPath(name: string): string {
  return new URL(`../programs/${name}.ts`, import.meta.url).pathname;
}

/** A server process that says on standard error when it is ready, with its port if it was not told one. */
export async function openHttpProcess(
  command: string,
  args: readonly string[],
  toTransport: (port: string) => McpClientConfig["transport"],
  ready: RegExp = /listening on port (\d+)/,
): Promise<Opened> {
  const child = new Deno.Command(command, {
    args: [...args],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const port = Promise.withResolvers<string>();
  const drained = drain(child.stderr, ready, port.resolve);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => closed ??= end(child, drained);
  try {
    return {
      transport: toTransport(await within(20_000, "the port", port.promise)),
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
  found: (port: string) => void,
): Promise<void> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream() as TextDecoding)) {
    if (text.length < 10_000) text += chunk;
    const match = ready.exec(text);
    if (match !== null) found(match[1] ?? "");
  }
}

type TextDecoding = TransformStream<Uint8Array, string>;

/** A launcher such as npx may not hand signals on: all of them get it. */
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

/** Fails unless the call rejects with an `McpError` of the code. */
export async function assertMcpError(
  call: Promise<unknown>,
  code: McpErrorCodeType,
  rpcCode?: number,
): Promise<void> {
  const error = await assertRejects(() => call, McpError);
  assertEquals([error.code, error.rpcCode], [code, rpcCode], error.message);
}

/** The text of a tool's result. */
export async function textOf(call: ReturnType<McpClient["callTool"]>): Promise<string> {
  const [block] = (await call).content;
  assert(block?.type === "text", "The result is no text");
  return block.text;
}

/** Checks that a call that never ends is given up in time, and that the connection outlives it. */
export async function checkGivingUp(
  { client, check }: Tried,
  tool: string,
  args: Record<string, unknown> = {},
): Promise<void> {
  await check(
    "a call that takes too long",
    () => assertMcpError(client.callTool(tool, args, { timeoutMs: 100 }), "transport_error"),
  );
  await check("a call that is aborted", async () => {
    const reason = new Error("Enough");
    const controller = new AbortController();
    const call = client.callTool(tool, args, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 20);
    assertEquals(await call.catch((error) => error), reason);
  });
  await check("the connection lives on", async () => {
    assert((await client.listTools()).length > 0);
  });
}
