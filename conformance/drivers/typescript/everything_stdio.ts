/**
 * The everything server over stdio.
 *
 *     deno run -A conformance/drivers/typescript/everything_stdio.ts
 *
 * @module
 */

import { serveStdio } from "@parley/mcp/server";
import { createEverythingServer } from "./everything.ts";

if (import.meta.main) await serveStdio(await createEverythingServer());
