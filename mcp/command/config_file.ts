/**
 * Reads the servers in an `mcp.json` file.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { McpClientConfig } from "../client/config.ts";
import {
  readMcpConfig,
  type ReadMcpConfigOptions,
  type SpawnCommand,
} from "../clients/read_mcp_config.ts";
import type { JsonObject } from "../shared/json.ts";
import { messageOf, UsageError } from "./exit_code.ts";
import type { CliIo } from "./run_program.ts";

/** Access to the file and to environment variables. */
type FileIo = Pick<CliIo, "env" | "readFile">;

/** A server in a file, as a gateway uses it. */
export interface ConfiguredServer {
  readonly name: string;
  readonly config: McpClientConfig;
  /** Whether the gateway lists the resources of the server. */
  readonly listResources: boolean;
}

/**
 * Reads each server in a file.
 *
 * @throws {UsageError} If the file cannot be read, is not valid or contains no servers.
 */
export async function readConfigFile(
  file: string,
  io: FileIo,
  spawn: SpawnCommand,
): Promise<readonly ConfiguredServer[]> {
  const content = await readJsonFile(file, io);
  const configs = Object.entries(readConfigs(file, content, { env: io.env, spawn }));
  if (configs.length === 0) {
    throw new UsageError(`Cannot read "${file}": the file contains no servers`);
  }
  const servers = new Map(serversOf(content).flatMap(Object.entries<unknown>));
  return configs.map(([name, config]) => {
    const server = servers.get(name);
    return { name, config, listResources: !isRecord(server) || server.listResources !== false };
  });
}

/**
 * Reads the configuration of one server in a file. The configurations of the other servers are not
 * read, because they may refer to variables that are not set.
 *
 * @throws {UsageError} If the file cannot be read, or the server is missing, disabled or not valid.
 */
export async function readConfigEntry(
  { file, name }: { readonly file: string; readonly name: string },
  io: FileIo,
  spawn: SpawnCommand,
): Promise<McpClientConfig> {
  const content = await readJsonFile(file, io);
  const configs = readConfigs(file, selectEntry(content, name), { env: io.env, spawn });
  const [config] = Object.values(configs);
  if (config !== undefined) return config;
  const names = listNames(content);
  const reason = names.includes(name)
    ? `"${file}" disables it`
    : names.length === 0
    ? `"${file}" contains no servers`
    : `"${file}" has only ${names.map((known) => `"${known}"`).join(", ")}`;
  throw new UsageError(`Cannot use the server "${name}": ${reason}`);
}

function readConfigs(
  file: string,
  content: unknown,
  options: ReadMcpConfigOptions,
): Readonly<Record<string, McpClientConfig>> {
  try {
    return readMcpConfig(content, options);
  } catch (error) {
    throw new UsageError(`Cannot read "${file}": ${messageOf(error)}`);
  }
}

/** Returns the content of a file without the servers that have another name. */
function selectEntry(content: unknown, name: string): unknown {
  if (!isRecord(content)) return content;
  const members = Object.entries(content).map(([key, value]) => {
    if (!SERVER_KEYS.includes(key) || !isRecord(value)) return [key, value];
    return [key, Object.fromEntries(Object.entries(value).filter(([known]) => known === name))];
  });
  return Object.fromEntries(members);
}

function listNames(content: unknown): readonly string[] {
  return serversOf(content).flatMap(Object.keys);
}

/** Returns the members of a file that contain servers. */
function serversOf(content: unknown): readonly JsonObject[] {
  if (!isRecord(content)) return [];
  return SERVER_KEYS.map((key) => content[key]).filter(isRecord);
}

/** Members of a file that contain servers. */
const SERVER_KEYS = ["mcpServers", "servers"];

/**
 * Parses a file, which may start with a byte order mark. The error contains no part of the file,
 * because the file may contain secrets.
 */
async function readJsonFile(file: string, { readFile }: FileIo): Promise<unknown> {
  try {
    return parseJson(await readFile(file));
  } catch (error) {
    throw new UsageError(`Cannot read "${file}": ${messageOf(error)}`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const [where = ""] = / at position \d+( \(line \d+ column \d+\))?/.exec(messageOf(error)) ?? [];
    throw new TypeError(`the file is not valid JSON${where}`);
  }
}
