/**
 * The test server that the programs in `programs/` call. The server provides a WebSocket agent, a
 * chat endpoint, an MCP server and files on a single loopback port.
 *
 * @module
 */

import { webSocketTransport } from "@parley/comm/transport";
import { mcpHandler } from "@parley/mcp/server";
import { answerChat } from "./programs/chat.ts";
import { createBob } from "./programs/comm.ts";
import { createAdder } from "./programs/mcp.ts";

/** A running server. */
export interface TestServer {
  /** URL such as `http://127.0.0.1:1234`. */
  readonly origin: string;
  /** Paths of the received requests. */
  readonly paths: readonly string[];
  /** Closes the server. */
  close(): Promise<void>;
}

/** Starts the server. `files` contains scripts, keyed by file name. */
export function startTestServer(
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>> = new Map(),
): TestServer {
  const mcp = mcpHandler(createAdder());
  const paths: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      paths.push(pathname);
      if (pathname === "/mcp") return await mcp(request);
      if (pathname === "/ws") return answerOverWebSocket(request);
      if (pathname === "/v1/chat/completions") return answerChat(await request.json());
      const file = files.get(pathname.slice(1));
      const headers = { "content-type": file === undefined ? "text/html" : "text/javascript" };
      return new Response(file ?? "<!DOCTYPE html><title>Parley</title>", { headers });
    },
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    paths,
    close: async () => {
      await mcp.close();
      await server.shutdown();
    },
  };
}

/** Replies to every message with 42. */
function answerOverWebSocket(request: Request): Response {
  const { socket, response } = Deno.upgradeWebSocket(request);
  void (async () => {
    const transport = webSocketTransport(socket);
    const bob = await createBob();
    for (;;) {
      const message = await transport.receive();
      if (message === undefined) return;
      await transport.send(await bob.reply(message, "task_result", 42));
    }
  })();
  return response;
}
