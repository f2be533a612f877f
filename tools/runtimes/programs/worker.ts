/**
 * The program of a worker, which serves MCP and, on request, uses all packages.
 *
 * @module
 */

import { mcpHandler } from "@parley/mcp/server";
import { removeEd25519, useEverything } from "./all_packages.ts";
import { createAdder } from "./mcp.ts";

const mcp = mcpHandler(createAdder());

export default {
  /**
   * Serves MCP at `/mcp`. For other paths, uses all packages with the server at the URL in
   * `origin`.
   */
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/mcp") return await mcp(request);
    if (searchParams.has("without-ed25519")) removeEd25519();
    try {
      return new Response(await useEverything(searchParams.get("origin") ?? ""));
    } catch (error) {
      const text = error instanceof Error ? error.stack ?? error.message : String(error);
      return new Response(text, { status: 500 });
    }
  },
};
