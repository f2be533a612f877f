/**
 * Fingerprints of tools, which show whether a server has changed a tool's description.
 *
 * @module
 */

import type { McpToolDescriptor } from "../protocol/tool.ts";
import { sortMembers } from "../shared/sort_members.ts";

/**
 * Returns a tool's fingerprint: the SHA-256 digest, in hexadecimal, of all members of its
 * description except the name. The gateway changes only the name, so a tool has the same
 * fingerprint in the server's list and in the gateway's list.
 *
 * @param tool Tool, as returned by {@linkcode McpClient.listTools}.
 *
 * @example Compare two versions of a tool
 * ```ts
 * import { toolFingerprint } from "@parley/mcp/gateway";
 * import { assertEquals, assertNotEquals } from "@std/assert";
 *
 * const tool = { name: "read", description: "Reads a file", inputSchema: { type: "object" } };
 * const reviewed = await toolFingerprint(tool);
 * assertEquals(await toolFingerprint({ ...tool, name: "files_read" }), reviewed);
 * assertNotEquals(await toolFingerprint({ ...tool, description: "Reads all files" }), reviewed);
 * ```
 */
export async function toolFingerprint(tool: McpToolDescriptor): Promise<string> {
  const { name: _name, ...rest } = tool;
  // A server may list the same members in a different order.
  const bytes = new TextEncoder().encode(JSON.stringify(sortMembers(rest)));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
