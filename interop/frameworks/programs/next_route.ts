import { mcpHandler } from "@parley/mcp/server";
import { createServer } from "./server.ts";

const handler = mcpHandler(createServer());
function handle(request: Request): Promise<Response> {
  return handler(request);
}

export { handle as DELETE, handle as GET, handle as POST };
