/**
 * The minimal stdio server, which parses lines of JSON-RPC and calls the tool. On Deno, it uses the
 * streams of Deno, because those of Node.js take longer than the rest of the server.
 *
 * @module
 */

import process from "node:process";
import { add } from "./tool.ts";

let text = "";

function receive(chunk: string, write: (line: string) => void): void {
  text += chunk;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n")) {
    const { id, params } = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    const result = add(params.arguments);
    write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  }
}

async function serveOnDeno(): Promise<void> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  const buffer = new Uint8Array(65_536);
  const write = (line: string): void => {
    Deno.stdout.writeSync(encoder.encode(line));
  };
  for (let length: number | null = 0; length !== null; length = await Deno.stdin.read(buffer)) {
    receive(decoder.decode(buffer.subarray(0, length), { stream: true }), write);
  }
}

function serveOnNode(): void {
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk: string) => {
    receive(chunk, (line) => process.stdout.write(line));
  });
  process.stdin.on("end", () => process.exit(0));
}

if ("Deno" in globalThis) await serveOnDeno();
else serveOnNode();
