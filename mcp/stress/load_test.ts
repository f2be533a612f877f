import { assert, assertEquals } from "@std/assert";
import { propertyRuns } from "../../tools/testing/property.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "load", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Number of slow readers, and number of sessions: 25, or 1,000 in the nightly profile. */
const { numRuns: COUNT } = propertyRuns(25);

/** A server in a separate process. */
class LoadServer {
  readonly port: number;
  readonly #child: Deno.ChildProcess;

  constructor(child: Deno.ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(...args: string[]): Promise<LoadServer> {
    const path = new URL("testdata/load_server.ts", import.meta.url).pathname;
    const child = new Deno.Command("deno", {
      args: ["run", "--quiet", "-A", "--v8-flags=--expose-gc", path, ...args],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.endsWith("\n")) {
      const { done, value } = await reader.read();
      assert(!done, "the server did not start");
      text += value;
    }
    await reader.cancel();
    return new LoadServer(child, Number(text));
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  async load(): Promise<{ readonly bytes: number; readonly underWay: number }> {
    return await (await fetch(`http://127.0.0.1:${this.port}/load`)).json();
  }

  /** Waits until a given number of calls are in progress. */
  async untilUnderWay(count: number): Promise<void> {
    while ((await this.load()).underWay !== count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stdin.close();
    assertEquals((await this.#child.status).code, 0);
  }
}

/** Calls `work` with each index from 0, with limited concurrency. */
async function each(count: number, atOnce: number, work: (index: number) => Promise<void>) {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Returns an encoded call to the `pour` tool. */
function pourRequest(port: number): Uint8Array {
  const params = { name: "pour", arguments: {}, _meta: { ...META, progressToken: 1 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const head = [
    "POST /mcp HTTP/1.1",
    `host: 127.0.0.1:${port}`,
    "content-type: application/json",
    "accept: application/json, text/event-stream",
    "mcp-protocol-version: 2026-07-28",
    "mcp-method: tools/call",
    "mcp-name: pour",
    `content-length: ${body.length}`,
    "connection: close",
  ];
  return new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n${body}`);
}

Deno.test("slow readers apply backpressure and use little memory", async () => {
  await using server = await LoadServer.start();
  const before = await server.load();
  const sockets: Deno.TcpConn[] = [];
  const request = pourRequest(server.port);
  await each(COUNT, 50, async () => {
    const socket = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
    sockets.push(socket);
    await socket.write(request);
    // Read only the beginning of the response, so that the server must wait for the reader.
    await socket.read(new Uint8Array(16));
  });
  const during = await server.load();
  assertEquals(during.underWay, COUNT);
  // Without backpressure, the server would buffer 19 MB per reader.
  assert(
    during.bytes - before.bytes < COUNT * 350_000 + 30_000_000,
    `${during.bytes - before.bytes} bytes more`,
  );
  for (const socket of sockets) socket.close();
  await server.untilUnderWay(0);
  const after = await server.load();
  assert(after.bytes - before.bytes < 5_000_000, `${after.bytes - before.bytes} bytes more`);
});

Deno.test("sessions do not exceed the limit and use little memory", async () => {
  const limit = Math.floor(COUNT / 2);
  await using server = await LoadServer.start(`${limit}`);
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(server.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const before = await server.load();
  const ids: string[] = [];
  await each(COUNT, 20, async () => {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "load", version: "1" },
    };
    const response = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    await response.text();
    ids.push(response.headers.get("mcp-session-id") ?? "");
  });
  assertEquals(new Set(ids).size, COUNT);
  const during = await server.load();
  assert(
    during.bytes - before.bytes < limit * 20_000 + 1_000_000,
    `${during.bytes - before.bytes} bytes more`,
  );
  const statuses = new Map<number, number>();
  await each(COUNT, 20, async (index) => {
    const session = { "mcp-session-id": ids[index] ?? "" };
    const response = await post({ jsonrpc: "2.0", id: 1, method: "ping" }, session);
    await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  });
  assertEquals([...statuses].sort(), [[200, limit], [404, COUNT - limit]]);
});
