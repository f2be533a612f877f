/**
 * Reads the parameters of the methods that open and use sessions.
 *
 * @see {@link https://agentclientprotocol.com/protocol/v1/session-setup Session setup}
 * @module
 */

import { isRecord, type UnknownRecord } from "@parley/internal/json";
import type { AcpClientCapabilities, AcpMcpServer } from "./acp_session.ts";
import { isAbsolutePath } from "./paths.ts";
import { invalidParams } from "./rpc_error.ts";

const MAX_ID_CHARS = 256;
const MAX_SERVERS = 100;
const MAX_DIRECTORIES = 100;

/** Directories and MCP servers of a session. */
export interface SessionParams {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly AcpMcpServer[];
}

/** Reads the id of a session. */
export function readSessionId({ sessionId }: UnknownRecord): string {
  const isId = typeof sessionId === "string" && sessionId !== "" && sessionId.isWellFormed() &&
    sessionId.length <= MAX_ID_CHARS;
  if (!isId) {
    throw invalidParams(
      `"sessionId" must be a non-empty string of at most ${MAX_ID_CHARS} characters`,
    );
  }
  return sessionId;
}

/** Reads the directories and MCP servers of a session. */
export function readSessionParams(
  { additionalDirectories, cwd, mcpServers }: UnknownRecord,
  { mcpOverHttp }: { readonly mcpOverHttp: boolean },
): SessionParams {
  return {
    cwd: readPath("cwd", cwd),
    additionalDirectories: readList("additionalDirectories", additionalDirectories, MAX_DIRECTORIES)
      .map((path, index) => readPath(`additionalDirectories[${index}]`, path)),
    mcpServers: readList("mcpServers", mcpServers, MAX_SERVERS)
      .map((server, index) => readServer(`mcpServers[${index}]`, server, mcpOverHttp)),
  };
}

/** Reads the capabilities of the editor. An omitted capability is not supported. */
export function readCapabilities({ clientCapabilities }: UnknownRecord): AcpClientCapabilities {
  const { fs, terminal } = isRecord(clientCapabilities) ? clientCapabilities : {};
  const { readTextFile, writeTextFile } = isRecord(fs) ? fs : {};
  return {
    readTextFile: readTextFile === true,
    writeTextFile: writeTextFile === true,
    terminal: terminal === true,
  };
}

function readPath(name: string, value: unknown): string {
  if (typeof value === "string" && isAbsolutePath(value)) return value;
  throw invalidParams(`"${name}" must be an absolute path`);
}

/** Reads a list. An omitted list is empty. */
function readList(name: string, value: unknown, max: number): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidParams(`"${name}" must be an array`);
  if (value.length > max) throw invalidParams(`"${name}" must have at most ${max} items`);
  return value;
}

function readServer(at: string, value: unknown, mcpOverHttp: boolean): AcpMcpServer {
  const server = isRecord(value) ? value : {};
  const name = readText(`${at}.name`, server.name);
  switch (server.type) {
    case undefined:
    case "stdio":
      return {
        type: "stdio",
        name,
        command: readText(`${at}.command`, server.command),
        args: readList(`${at}.args`, server.args, 1000)
          .map((arg, index) => readText(`${at}.args[${index}]`, arg)),
        env: readPairs(`${at}.env`, server.env),
      };
    case "http":
      if (mcpOverHttp) {
        const url = readText(`${at}.url`, server.url);
        return { type: "http", name, url, headers: readPairs(`${at}.headers`, server.headers) };
      }
  }
  const kinds = mcpOverHttp ? '"stdio" or "http"' : '"stdio"';
  throw invalidParams(
    `"${at}.type" must be ${kinds}, because the agent supports no other transport`,
  );
}

function readText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw invalidParams(`"${name}" must be a string`);
}

/** Reads a list of names and values. */
function readPairs(name: string, value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readList(name, value, 1000).map((pair, index) => {
      const { name: key, value: text } = isRecord(pair) ? pair : {};
      const at = `${name}[${index}]`;
      return [readText(`${at}.name`, key), readText(`${at}.value`, text)];
    }),
  );
}
