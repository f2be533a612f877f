/**
 * The program of a worker: an MCP server for others, and all packages used when it is told to.
 *
 * @module
 */

import { mcpHandler } from "@parley/mcp/server";
import { removeEd25519, useEverything } from "./all_packages.ts";
import { createAdder } from "./mcp.ts";

const mcp = mcpHandler(createAdder());

export default {
  /** Answers `/mcp`; for every other path it uses the packages against the server named in `origin`. */
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
