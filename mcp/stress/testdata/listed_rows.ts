/**
 * A program that requests all pages of the list of a resource template with 100,000 rows, and
 * prints the number of pages and rows, the length of the longest page, and the largest growth of
 * the memory usage, in bytes, as JSON. Requires `--v8-flags=--expose-gc`.
 *
 * @module
 */

import { mcpHandler, McpServer } from "../../server.ts";
import { modern } from "../../testdata/http.ts";
import { memoryUsed } from "./memory_used.ts";

const ROWS = 100_000;

const server = new McpServer({ name: "table", version: "1" });
server.registerResourceTemplate(
  { uriTemplate: "db:///rows/{id}", name: "rows" },
  (_uri, { id }) => `row ${id}`,
  {
    list: ({ cursor = "0", limit }) => {
      const start = Number(cursor);
      const end = Math.min(start + limit, ROWS);
      const resources = Array.from({ length: end - start }, (_, index) => {
        const id = start + index + 1;
        return { uri: `db:///rows/${id}`, name: `${id}`, description: "x".repeat(100) };
      });
      return end < ROWS ? { resources, nextCursor: `${end}` } : { resources };
    },
  },
);
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
