import { serveStdio } from "@parley/mcp/server";
import { createServer } from "./server.ts";

// A client starts this program, and exchanges messages over standard input and standard output.
await serveStdio(createServer());
