import { mcpHandler } from "@parley/mcp/server";
import { createServer } from "./server.ts";

/** A single Durable Object that receives all requests, because sessions outlive requests. */
export class Mcp {
  // workerd detects a disconnected client when the worker writes to the stream, if the
  // compatibility flag `enable_request_signal` is set.
  readonly #handler = mcpHandler(createServer(), { keepAliveMs: 1000 });

  fetch(request: Request): Promise<Response> {
    return this.#handler(request);
  }
}

interface Environment {
  readonly MCP: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

export default {
  fetch(request: Request, { MCP }: Environment): Promise<Response> {
    return MCP.get(MCP.idFromName("mcp")).fetch(request);
  },
};
