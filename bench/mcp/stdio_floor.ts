/**
 * The minimal stdio server, which parses lines of JSON-RPC and calls the tool.
 *
 * @module
 */

import process from "node:process";
import { add } from "./tool.ts";

let text = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  text += chunk;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n")) {
    const { id, params } = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    const result = add(params.arguments);
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  }
});
process.stdin.on("end", () => process.exit(0));
