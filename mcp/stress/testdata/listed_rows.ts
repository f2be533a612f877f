/**
 * A program that requests all pages of the list of a resource template with 100,000 rows, and
 * prints the number of pages and rows, the length of the longest page, and the largest growth of
 * the memory usage, in bytes, as JSON. Requires `--v8-flags=--expose-gc`.
 *
 * @module
 */

import { mcpHandler, McpServer } from "../../server.ts";
import { modern } from "../../testdata/http.ts";
import { registerRows } from "../../testdata/table_rows.ts";
import { memoryUsed } from "./memory_used.ts";

const server = new McpServer({ name: "table", version: "1" });
registerRows(server, "x".repeat(100));
const handler = mcpHandler(server);
let [pages, rows, longest, growth] = [0, 0, 0, 0];
let before = 0;
let params = {};
do {
  const { result } = await (await handler(modern("resources/list", params))).json();
  pages++;
  rows += result.resources.length;
  longest = Math.max(longest, result.resources.length);
  params = result.nextCursor === undefined ? {} : { cursor: result.nextCursor };
  // The first pages serve as a warm-up.
  if (pages === 10) before = await memoryUsed();
  if (pages > 10 && pages % 10 === 0) growth = Math.max(growth, await memoryUsed() - before);
} while ("cursor" in params);
await handler.close();
console.log(JSON.stringify({ pages, rows, longest, growth }));
