/**
 * The everything server over Streamable HTTP. The server prints `listening on URL` when it is
 * ready. The server exits when its standard input ends, and therefore also when its parent process
 * exits.
 *
 *     deno run -A conformance/drivers/typescript/everything_http.ts [PORT]
 *
 * @module
 */

import { createServer } from "node:http";
import process from "node:process";
import { toNodeListener } from "@parley/mcp/node";
import { createEverythingHandler } from "./everything.ts";

/** Listens on the loopback interface until standard input ends. */
async function listen(port: number): Promise<void> {
  const server = createServer(toNodeListener(await createEverythingHandler()));
  server.listen(port, "127.0.0.1", () => {
    const address = server.address();
    const actual = typeof address === "object" ? address?.port : undefined;
    process.stdout.write(`listening on http://127.0.0.1:${actual}/mcp\n`);
  });
}

if (import.meta.main) {
  await listen(Number(process.argv[2] ?? 0));
  process.stdin.once("end", () => process.exit(0));
  process.stdin.resume();
}
