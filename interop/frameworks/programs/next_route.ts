import { mcpHandler } from "@parley/mcp/server";
import { createServer } from "./server.ts";

const handler = mcpHandler(createServer());
const handle = (request: Request): Promise<Response> => handler(request);

export { handle as DELETE, handle as GET, handle as POST };
