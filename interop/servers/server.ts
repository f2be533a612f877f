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
  /** Where it is, on the web. */
  readonly url?: string;
  /** The ids of its processes. */
  processes(): Promise<readonly number[]>;
  /** Ends what the client does not end. */
  close(): Promise<void>;
}

/** What the checks of a server work with. */
export interface Tried {
  /** Our client, connected. */
  readonly client: McpClient;
  /** Where the server is, on the web. */
  readonly url: string | undefined;
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
  /** A tool that never comes back; with it, the server is killed in the end. */
  readonly killedDuring?: string;
  /** What is checked. */
  readonly checks: (tried: Tried) => Promise<void>;
}

/** Makes a subject of a server. */
export function serverSubject(kind: ServerKind): Subject {
  const { name, open, protocol, version, root = "file:///home/ada", killedDuring, checks } = kind;
  return {
    name: `our client > ${name}`,
    run: async (check) => {
      const { transport, url, processes, close } = await open();
      const heard = new Inbox<RpcNotification>();
      const client = createClient(root, {
        transport,
        onNotification: heard.push,
        ...(protocol !== undefined && { protocol }),
      });
      try {
        await check("connects", async () => {
          await client.connect();
          assertEquals(client.server?.protocolVersion, version);
        }, 30_000);
        const pids = await processes();
        if (client.connected) await checks({ client, url, heard, check });
        await check("disconnects, and leaves no process", async () => {
          await client.disconnect();
          assertEquals(client.connected, false);
          await assertMcpError(client.listTools(), "protocol_error");
          await close();
          await waitUntilGone(pids);
        });
        if (killedDuring !== undefined) {
          await check(
            "a server that is killed",
            () => assertOutlives(client, processes, killedDuring),
            20_000,
          );
        }
      } finally {
        await within(10_000, "the end", Promise.allSettled([client.disconnect(), close()]));
      }
    },
  };
}

/** The server dies during a call: the call fails at once, and the client can connect anew. */
async function assertOutlives(
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

/** Makes our client, with an answer to everything that it may be asked. */
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

/** Where a server process is found, when not everything is as usual. */
interface HttpProcessOptions {
  /** The path that leads to the server. Default `/mcp`. */
  readonly path?: string;
  /** The port that it was told to listen on. */
  readonly port?: string;
  /** What it says when it is ready; the first group is the port, if it was not told one. */
  readonly ready?: RegExp;
}

/** A server process that says on standard error when it is ready, with its port if it was not told one. */
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
    const port = await within(20_000, "the port", found.promise) ?? known;
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
