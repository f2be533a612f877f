/**
 * Tests in which the TCP connection between client and server breaks after an arbitrary number of
 * bytes.
 */

import { assert, assertEquals } from "@std/assert";
import { HttpTransport, McpClient, McpError } from "../client.ts";
import { mcpHandler } from "../server.ts";
import { everythingServer } from "./testdata/subject.ts";

const POINTS = 20;

/** A TCP proxy that closes all connections after a given number of bytes. */
class Cutter implements AsyncDisposable {
  readonly #listener: Deno.TcpListener;
  readonly #port: number;
  readonly #running = new Set<Promise<void>>();
  readonly #sockets = new Set<Deno.TcpConn>();
  #left: number;
  passed = 0;

  constructor(port: number, left: number) {
    this.#port = port;
    this.#left = left;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#keep(this.#accept());
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}/mcp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.#cut();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #keep(work: Promise<void>): void {
    const kept = work.finally(() => this.#running.delete(kept));
    this.#running.add(kept);
  }

  async #accept(): Promise<void> {
    try {
      for await (const near of this.#listener) {
        if (this.#left <= 0) near.close();
        else this.#keep(this.#join(near));
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }

  async #join(near: Deno.TcpConn): Promise<void> {
    this.#sockets.add(near);
    const far = await Deno.connect({ hostname: "127.0.0.1", port: this.#port });
    this.#sockets.add(far);
    if (this.#left <= 0) return this.#cut();
    await Promise.all([this.#pass(near, far), this.#pass(far, near)]);
  }

  /**
   * Copies bytes from one connection to another. When either connection ends, the proxy closes
   * both.
   */
  async #pass(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
    const buffer = new Uint8Array(4096);
    try {
      for (let size = await from.read(buffer); size !== null; size = await from.read(buffer)) {
        const part = buffer.subarray(0, Math.min(size, this.#left));
        this.passed += part.length;
        this.#left -= part.length;
        await to.write(part);
        if (this.#left <= 0) this.#cut();
      }
    } catch (error) {
      assert(error instanceof Error, `${error}`);
    }
    for (const socket of [from, to]) this.#end(socket);
  }

  #cut(): void {
    for (const socket of this.#sockets) this.#end(socket);
  }

  #end(socket: Deno.TcpConn): void {
    if (this.#sockets.delete(socket)) socket.close();
  }
}

/** Returns `ok` if a promise is fulfilled, otherwise the code of the `McpError`. */
async function settle(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "ok";
  } catch (error) {
    assert(error instanceof McpError, `${error}`);
    return error.code;
  }
}

/** Calls several client operations, continuing after failures. */
async function live(url: string, protocol: "modern" | "legacy"): Promise<readonly string[]> {
  const transport = new HttpTransport(url, { maxRetries: 1, retryMs: 0, closeTimeoutMs: 1000 });
  const client = new McpClient({ transport, onError: () => {}, protocol });
  const outcomes = [await settle(client.connect())];
  outcomes.push(await settle(client.listTools()));
  const subscription = client.listen({ toolsListChanged: true });
  outcomes.push(await settle(subscription));
  const calls = [1, 2, 3].map((a) => settle(client.callTool("add", { a, b: 1 })));
  outcomes.push(...await Promise.all(calls));
  outcomes.push(await settle(client.getResource("test:///a")));
  outcomes.push(await settle(client.disconnect()));
  return outcomes;
}

/**
 * Calls client operations over a connection that breaks after a given number of bytes. Returns the
 * outcomes of the operations and the number of bytes that the proxy copied.
 */
async function liveWith(left: number, protocol: "modern" | "legacy") {
  const handler = mcpHandler(everythingServer());
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const listening = Deno.serve(options, (request) => handler(request));
  const cutter = new Cutter(listening.addr.port, left);
  const outcomes = await live(cutter.url, protocol);
  await cutter[Symbol.asyncDispose]();
  await handler.close();
  await listening.shutdown();
  return { outcomes, passed: cutter.passed };
}

for (const protocol of ["modern", "legacy"] as const) {
  Deno.test(`a connection that breaks after any number of bytes leaks no resources (${protocol})`, async () => {
    const { outcomes, passed } = await liveWith(Infinity, protocol);
    assertEquals(new Set(outcomes), new Set(["ok"]));
    let hurt = 0;
    for (let point = 0; point < POINTS; point++) {
      const { outcomes } = await liveWith(Math.floor(passed * point / POINTS), protocol);
      assertEquals(outcomes.at(-1), "ok", "disconnect() must succeed");
      if (new Set(outcomes).size > 1) hurt++;
    }
    // A connection that breaks during the last bytes may cause no failure: these bytes may belong
    // to the request that ends the session, whose response the client does not await.
    assert(hurt >= POINTS - 5, `only ${hurt} of ${POINTS} cuts caused a failure`);
  });
}
