import process from "node:process";
import express from "express";
import { toNodeListener } from "@parley/mcp/node";
import { mcpHandler } from "@parley/mcp/server";
import { createServer, keys } from "./server.ts";

function authenticate(
  request: express.Request,
  response: express.Response,
  next: express.NextFunction,
): void {
  response.locals["principal"] = keys.get(request.get("x-api-key") ?? "");
  if (response.locals["principal"] !== undefined) return next();
  response.status(401).send("Unknown API key");
}

const listener = toNodeListener(mcpHandler(createServer()), {
  principal: (_request, response: express.Response) => response.locals["principal"],
});
const app = express();
app.all("/mcp", authenticate, listener);
app.listen(Number(process.env.PORT ?? 8000), "127.0.0.1");
