/**
 * Reads the servers in an `mcp.json` file.
 *
 * @module
 */

import type { McpClientConfig } from "../client/config.ts";
import { readMcpConfig, type SpawnCommand } from "../clients/read_mcp_config.ts";
import { messageOf, UsageError } from "./exit_code.ts";
import type { CliIo } from "./run_program.ts";

/**
 * Reads the configuration of each server in a file.
 *
 * @throws {UsageError} If the file cannot be read, is not valid or contains no servers.
 */
export async function readConfigFile(
  file: string,
  { env, readFile }: Pick<CliIo, "env" | "readFile">,
  spawn: SpawnCommand,
): Promise<Readonly<Record<string, McpClientConfig>>> {
  try {
    const configs = readMcpConfig(parseJson(await readFile(file)), { env, spawn });
    if (Object.keys(configs).length === 0) throw new TypeError("the file contains no servers");
    return configs;
  } catch (error) {
    throw new UsageError(`Cannot read "${file}": ${messageOf(error)}`);
  }
}

/**
 * Parses a file, which may start with a byte order mark. The error contains no part of the file,
 * because the file may contain secrets.
 */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const [where = ""] = / at position \d+( \(line \d+ column \d+\))?/.exec(messageOf(error)) ?? [];
    throw new TypeError(`the file is not valid JSON${where}`);
  }
}
