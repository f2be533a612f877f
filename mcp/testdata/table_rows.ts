/**
 * A large table, whose rows are the resources of a template.
 *
 * @module
 */

import type { McpServer } from "../server.ts";

/** Number of rows in the table. */
export const ROWS = 100_000;

/**
 * Registers a template that lists the rows in pages.
 *
 * @param description Description of each row.
 */
export function registerRows(server: McpServer, description?: string): void {
  server.registerResourceTemplate(
    { uriTemplate: "db:///rows/{id}", name: "rows" },
    (_uri, { id }) => `row ${id}`,
    {
      list: ({ cursor = "0", limit }) => {
        const start = Number(cursor);
        const end = Math.min(start + limit, ROWS);
        const resources = Array.from({ length: end - start }, (_, index) => {
          const id = start + index + 1;
          const row = { uri: `db:///rows/${id}`, name: `${id}` };
          return description === undefined ? row : { ...row, description };
        });
        return end < ROWS ? { resources, nextCursor: `${end}` } : { resources };
      },
    },
  );
}
