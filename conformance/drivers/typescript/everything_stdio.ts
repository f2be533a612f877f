/**
 * The server with something of everything, on standard input and output.
 *
 *     deno run -A conformance/drivers/typescript/everything_stdio.ts
 *
 * @module
 */

import { serveStdio } from "@parley/mcp/server";
import { createEverythingServer } from "./everything.ts";

if (import.meta.main) await serveStdio(createEverythingServer());
