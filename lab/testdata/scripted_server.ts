/**
 * MCP server over stdio that responds only to `initialize` and `ping`, with a fault that depends on
 * how often it was started.
 *
 *     scripted_server.ts FOLDER FAULT START
 *
 * The fault occurs from the given start on, the first of which is 1. `silent-after-N` sends N
 * responses, `exits-after-N` exits after N responses, and `digits` changes an id of digits to a
 * number. The folder contains a file for each start.
 *
 * @module
 */

import { TextLineStream } from "@std/streams/text-line-stream";

const [folder = ".", fault = "", from = "1"] = Deno.args;

const start = [...Deno.readDirSync(folder)].length + 1;
Deno.writeTextFileSync(`${folder}/${start}`, "");
const isFaulty = start >= Number(from);
const [, kind = fault, limit = "0"] = /^(.+)-after-(\d+)$/.exec(fault) ?? [];

const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  serverInfo: { name: "scripted", version: "1" },
};

let answers = 0;
const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream()).pipeThrough(
  new TextLineStream(),
);
for await (const line of lines) {
  const request: { id?: unknown; method?: unknown } = JSON.parse(line);
  if (request.id === undefined) continue;
  const isOver = isFaulty && answers >= Number(limit);
  if (isOver && kind === "silent") continue;
  if (isOver && kind === "exits") Deno.exit(3);
  answers++;
  const isInitialize = request.method === "initialize";
  const isChanged = isFaulty && kind === "digits" && /^\d+$/.test(String(request.id));
  const id = isChanged ? Number(request.id) : request.id;
  const answer = isInitialize
    ? { result: INITIALIZED }
    : request.method === "ping"
    ? { result: {} }
    : { error: { code: -32601, message: `Method not found: ${request.method}` } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}
