/**
 * The MCP protocol versions that the kit knows.
 *
 * @module
 */

/** MCP protocol versions, from the oldest to the latest. */
export const PROTOCOL_VERSIONS: readonly string[] = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
];
