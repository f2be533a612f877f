import process from "node:process";
import express from "express";
import { toNodeListener } from "@parley/mcp/node";
import { mcpHandler } from "@parley/mcp/server";
import { createServer } from "./server.ts";

const handler = mcpHandler(createServer());
const app = express();
app.use(express.json({ limit: "4mb" }));
app.all("/mcp", toNodeListener(handler));
app.listen(Number(process.env.PORT ?? 8000), "127.0.0.1");
