import { mcpHandler } from "@parley/mcp/server";
import { createServer } from "./server.ts";

const handler = mcpHandler(createServer());
const port = Number(Deno.env.get("PORT") ?? 8000);
Deno.serve({ hostname: "127.0.0.1", port }, (request) => handler(request));
