/**
 * Names of the tools of several servers, and the servers that they belong to.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { prefixInNames } from "@parley/internal/prefixed-name";

/** The servers that prefixed tool names belong to. */
export class ToolNames {
  /** Servers and the beginnings of the names of their tools, longest first. */
  readonly #prefixes: readonly (readonly [server: string, prefix: string])[];

  /**
   * Creates the names for some servers.
   *
   * @throws {TypeError} If two servers have the same prefix after the conversion of names.
   */
  constructor(servers: Iterable<string>) {
    const all = Array.from(servers, (server) => [server, prefixInNames(`${server}_`)] as const);
    const byPrefix = new Map<string, string>();
    for (const [server, prefix] of all) {
      const other = byPrefix.get(prefix);
      if (other !== undefined) {
        throw new TypeError(
          `"configs" must have servers whose tool names differ; rename "${other}" or "${server}"`,
        );
      }
      byPrefix.set(prefix, server);
    }
    this.#prefixes = all.toSorted(([, a], [, b]) => b.length - a.length);
  }

  /** Returns the server with the longest prefix that a name starts with, if there is one. */
  ownerOf(name: string): string | undefined {
    return this.#prefixes.find(([, prefix]) => name.startsWith(prefix))?.[0];
  }
}

/** Error for a tool whose prefixed name its server has already listed. */
export function listedTwice(server: string, name: string): McpError {
  return McpError.protocolError(
    `server "${server}" lists two tools with the prefixed name "${name}"; the first one is used`,
  );
}

/** Error for a tool whose prefixed name belongs to another server. */
export function foreignName(server: string, name: string, owner: string): McpError {
  return McpError.protocolError(
    `the prefixed name "${name}" of a tool of server "${server}" belongs to server "${owner}"; rename one of the servers`,
  );
}
