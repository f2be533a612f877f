import { createServer as createHttpServer } from "node:http";
import process from "node:process";
import { toNodeListener } from "@parley/mcp/node";
import { mcpHandler } from "@parley/mcp/server";
import { createServer } from "./server.ts";

const handler = mcpHandler(createServer());
const http = createHttpServer(toNodeListener(handler));
http.listen(Number(process.env.PORT ?? 8000), "127.0.0.1");
