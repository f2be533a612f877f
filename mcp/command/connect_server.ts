/**
 * The client of a command line.
 *
 * @module
 */

import type { AuthConfig } from "../auth/config.ts";
import { fileStore } from "../auth/file.ts";
import { type Loopback, openLoopback } from "../auth/loopback.ts";
import { McpClient } from "../client/client.ts";
import type { McpClientConfig } from "../client/config.ts";
import type { SpawnCommand } from "../clients/read_mcp_config.ts";
import { REVISIONS } from "../protocol/revisions.ts";
import { clientTasks } from "../tasks/client.ts";
import { HttpTransport } from "../transport/http.ts";
import { escapeText } from "@parley/internal/escape-text";
import type { CommandLine, LoginArguments } from "./command_line.ts";
import { readConfigEntry } from "./config_file.ts";
import { escapeLines, formatJson } from "./escape_output.ts";
import { messageOf, UsageError } from "./exit_code.ts";
import { createInputHandlers } from "./input_handlers.ts";
import type { CliIo } from "./run_program.ts";

/** A client, and what must be closed with it. */
export interface ServerAccess {
  readonly client: McpClient;
  readonly close: () => Promise<void>;
}

/**
 * Creates a client transport that runs a program, like {@linkcode SpawnCommand}. `stderr` is the
 * text that the program has printed to standard error.
 */
export type SpawnProgram = (
  ...args: Parameters<SpawnCommand>
) => ReturnType<SpawnCommand> & { readonly stderr: string };

/** Time that `connect()` waits for the first response, unless the timeout is shorter. */
const PROBE_MS = 5000;

/**
 * Creates the client of a command line, which is not connected yet.
 *
 * @param options Function that starts programs, and a function that receives warnings.
 * @throws {UsageError} If the server or an option is not valid.
 */
export async function createAccess(
  line: CommandLine,
  io: CliIo,
  { spawn, onError }: {
    readonly spawn: SpawnProgram;
    readonly onError: (error: unknown) => void;
  },
): Promise<ServerAccess> {
  const protocol = readProtocol(line.protocol);
  const programs: { readonly stderr: string }[] = [];
  const config = await readConfig(line, io, (...args) => {
    const program = spawn(...args);
    programs.push(program);
    return program;
  });
  const loopback = line.login === undefined ? undefined : await openLoopback();
  try {
    const client = new McpClient({
      ...config,
      ...(loopback === undefined ? {} : { auth: toAuth(line.login, loopback, io) }),
      ...protocol,
      ...(line.verbose ? logTo(io) : {}),
      handlers: createInputHandlers(io),
      extensions: [clientTasks()],
      connectTimeoutMs: line.timeoutMs,
      probeTimeoutMs: Math.min(PROBE_MS, line.timeoutMs),
      onError,
    });
    return {
      client,
      close: async () => {
        await client.disconnect().catch(onError);
        await loopback?.close();
        if (line.verbose) { for (const { stderr } of programs) printStderr(stderr, io); }
      },
    };
  } catch (error) {
    await loopback?.close();
    throw error;
  }
}

async function readConfig(
  { server, bearerEnv }: CommandLine,
  io: CliIo,
  spawn: SpawnCommand,
): Promise<McpClientConfig> {
  switch (server.type) {
    case "url": {
      const headers = { ...readHeaders(server.headers), ...readBearer(bearerEnv, io) };
      try {
        return { transport: new HttpTransport(server.url, { headers }) };
      } catch (error) {
        throw new UsageError(`Invalid arguments: ${messageOf(error)}`);
      }
    }
    case "file":
      return await readConfigEntry(server, io, spawn);
    case "program": {
      const env = Object.fromEntries(server.env.map((name) => [name, readVariable(name, io)]));
      return { transport: spawn(server.command, server.args, { env }) };
    }
    default:
      return server satisfies never;
  }
}

/** The error does not contain the value of a header, which may be a secret. */
function readHeaders(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(headers.map((header) => {
    const [, name = "", value = ""] = /^([^:]+):(.*)$/s.exec(header) ?? [];
    if (isHeader(name.trim(), value.trim())) return [name.trim(), value.trim()];
    throw new UsageError('Invalid arguments: "--header" must be "Name: value"');
  }));
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    // The message of the error may contain the value.
    return false;
  }
}

function readBearer(name: string | undefined, io: CliIo): Record<string, string> {
  if (name === undefined) return {};
  const token = readVariable(name, io).trim();
  if (isHeader("authorization", `Bearer ${token}`)) return { authorization: `Bearer ${token}` };
  throw new UsageError(`Invalid arguments: the variable "${name}" does not contain a bearer token`);
}

function readVariable(name: string, { env }: CliIo): string {
  if (name.includes("=")) {
    // The error does not contain the value, which may be a secret.
    throw new UsageError(
      'Invalid arguments: "--env" and "--bearer-env" must be the name of an environment variable, ' +
        "without its value",
    );
  }
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined && value !== "") return value;
  throw new UsageError(`Invalid arguments: the environment variable "${name}" is not set`);
}

const PROTOCOLS = ["auto", "modern", "legacy", ...REVISIONS.map(({ version }) => version)] as const;

function readProtocol(name: string | undefined): Pick<McpClientConfig, "protocol"> {
  if (name === undefined) return {};
  const protocol = PROTOCOLS.find((known) => known === name);
  if (protocol !== undefined) return { protocol };
  throw new UsageError(
    `Invalid arguments: "--protocol" must be one of ${PROTOCOLS.join(", ")}, got "${name}"`,
  );
}

function toAuth(
  login: LoginArguments | undefined,
  { redirectUri, authorize }: Loopback,
  io: CliIo,
): AuthConfig {
  const { store, clientId } = login ?? {};
  return {
    discover: true,
    redirectUri,
    authorize: (url, context) => {
      io.err(`parley-mcp: log in at ${escapeText(url.href)}\n`);
      return authorize(url, context);
    },
    ...(store === undefined ? {} : { store: fileStore(store) }),
    ...(clientId === undefined ? {} : { clientId }),
  };
}

/** Prints each request with its time, and each notification. */
function logTo({ err }: CliIo): Pick<McpClientConfig, "around" | "onNotification"> {
  return {
    around: async ({ method, target }, next) => {
      const startedAt = performance.now();
      try {
        return await next();
      } finally {
        const name = target === undefined ? method : `${method} ${formatJson(target)}`;
        err(formatTime(performance.now() - startedAt, name));
      }
    },
    onNotification: ({ method, params = {} }) =>
      err(formatEvent(`${method} ${formatJson(params)}`)),
  };
}

/** Prints what a program has printed to standard error. */
function printStderr(text: string, { err }: CliIo): void {
  if (text.trim() === "") return;
  const lines = escapeLines(text.trimEnd()).split("\n");
  err(["the program has printed to standard error:", ...lines].map(formatEvent).join(""));
}

/** Formats a line of the log of requests. */
export function formatTime(durationMs: number, text: string): string {
  return `${durationMs.toFixed(1).padStart(9)} ms  ${text}\n`;
}

/** Formats a line of the log that has no duration. */
export function formatEvent(text: string): string {
  return `${" ".repeat(14)}${text}\n`;
}
