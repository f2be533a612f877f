/**
 * Configuration files that list MCP servers, such as `.mcp.json`, `.vscode/mcp.json` and
 * `.cursor/mcp.json`.
 *
 * @see {@link https://code.claude.com/docs/en/mcp Claude Code}
 * @see
 * {@link https://code.visualstudio.com/docs/copilot/reference/mcp-configuration Visual Studio Code}
 * @see {@link https://cursor.com/docs/mcp Cursor}
 * @module
 */

import type { McpClientConfig } from "../client/config.ts";
import type { PipeSource } from "../jsonrpc/contracts.ts";
import { assertFunction, assertObject } from "@parley/internal/assert-argument";
import { optionsReader, type Settings, withDefault } from "@parley/internal/options";
import { formatValue } from "@parley/internal/format-value";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { escapeText } from "@parley/internal/escape-text";
import { HttpTransport, SseTransport } from "../transport/http.ts";
import { hasCredentials } from "../transport/http_request.ts";

/**
 * Creates a client transport that runs a program, such as `spawnServer` from `@parley/mcp/process`.
 *
 * @param command Program to run.
 * @param args Arguments for the program.
 * @param options Environment variables and working directory.
 */
export type SpawnCommand = (
  command: string,
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string },
) => PipeSource;

/** Options for {@linkcode readMcpConfig}. */
export interface ReadMcpConfigOptions {
  /**
   * Values for `${VAR}`, such as `Deno.env.toObject()` or `process.env`.
   *
   * @default {{}}
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Creates the transport for each server that has a `command`, such as `spawnServer` from
   * `@parley/mcp/process`. If omitted, a server entry with a `command` causes an error.
   */
  readonly spawn?: SpawnCommand;
}

/** Options for {@linkcode readMcpConfig} after reading. */
type ConfigSettings = Settings<ReadMcpConfigOptions, "env">;

const readOptions = optionsReader<ReadMcpConfigOptions>("options")({
  env: withDefault({}, assertObject),
  spawn: assertFunction,
});

/**
 * Members of an `mcp.json` file. `inputs` defines values that Visual Studio Code requests from the
 * user.
 */
const FILE_KEYS = ["mcpServers", "servers", "inputs"];

/** Accepted values of `type`. Programs use different names for Streamable HTTP. */
const TYPES = ["stdio", "http", "streamable-http", "sse"];

const STDIO_KEYS = ["type", "command", "args", "env", "cwd", "disabled", "listResources"];

const HTTP_KEYS = ["type", "url", "headers", "disabled", "listResources"];

/**
 * Converts the contents of an `mcp.json` file to client configurations. `readMcpConfig` starts no
 * process and opens no connection.
 *
 * The servers are members of `mcpServers` or `servers`. A server has either a `command`, with
 * `args`, `env` and `cwd`, or a `url`, with `headers`. The `type` is optional: `stdio`, `http`,
 * `streamable-http` or `sse`. Servers with `disabled: true` are omitted, and no other members of a
 * disabled server are read. `listResources` has an effect only in the command `parley-mcp gateway`;
 * see the option of a gateway with the same name.
 *
 * In the values of all other members except `type`, `${VAR}` and `${env:VAR}` are replaced
 * by the value of a variable, and `${VAR:-default}` by the default if the variable is not set.
 * References in the values of variables are not replaced.
 *
 * To add options that the file format does not have, such as `auth` or `handlers`, copy a
 * configuration: `{ ...configs.crm, auth }`.
 *
 * @param config Parsed contents of the file.
 * @param options Environment variables, and the function that creates transports for commands.
 * @returns Client configurations, keyed by server name, in file order.
 * @throws {TypeError} If the configuration contains an unknown member or a value of the wrong type,
 * refers to a variable that is not set, or has a server with a `command` while `spawn` is omitted.
 * The error message contains the path to the invalid member, and never the value of a variable.
 *
 * @example Read the servers from a file
 * ```ts
 * import { readMcpConfig } from "@parley/mcp/clients";
 * import { spawnServer } from "@parley/mcp/process";
 * import { assertEquals } from "@std/assert";
 *
 * const text = `{
 *   "mcpServers": {
 *     "files": { "command": "npx", "args": ["-y", "some-file-server", "\${HOME}"] },
 *     "crm": { "url": "https://crm.example/mcp", "headers": { "x-api-key": "\${CRM_KEY:-none}" } }
 *   }
 * }`;
 * const configs = readMcpConfig(JSON.parse(text), { env: { HOME: "/home/ann" }, spawn: spawnServer });
 * assertEquals(Object.keys(configs), ["files", "crm"]);
 * ```
 */
export function readMcpConfig(
  config: unknown,
  options: ReadMcpConfigOptions = {},
): Readonly<Record<string, McpClientConfig>> {
  if (!isRecord(config)) {
    throw new TypeError(
      `"config" must be the parsed contents of a file, such as JSON.parse(text), got ${
        formatValue(config)
      }`,
    );
  }
  const settings = readOptions(options);
  const [root, servers] = readServers(config);
  const entries = Object.entries(servers).flatMap(([name, server]) => {
    const path = `${root}.${escapeText(name)}`;
    const members = readObject(path, server);
    if (readBoolean(`${path}.disabled`, members.disabled) === true) return [];
    readBoolean(`${path}.listResources`, members.listResources);
    return [[name, { transport: readTransport(path, members, settings) }] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns the name of the member that contains the servers, and the servers. */
function readServers(config: JsonObject): [root: string, servers: JsonObject] {
  for (const key of Object.keys(config)) {
    if (!FILE_KEYS.includes(key)) throw unknownKey(key, "the file", FILE_KEYS);
  }
  const { mcpServers, servers } = config;
  if ((mcpServers === undefined) === (servers === undefined)) {
    throw new TypeError(
      '"config" must have either the member "mcpServers" or the member "servers"',
    );
  }
  return servers === undefined
    ? ["mcpServers", readObject("mcpServers", mcpServers)]
    : ["servers", readObject("servers", servers)];
}

function readTransport(
  path: string,
  server: JsonObject,
  settings: ConfigSettings,
): McpClientConfig["transport"] {
  const type = readType(path, server);
  const keys = type === "stdio" ? STDIO_KEYS : HTTP_KEYS;
  for (const key of Object.keys(server)) {
    if (!keys.includes(key)) {
      throw unknownKey(`${path}.${escapeText(key)}`, `a server of type "${type}"`, keys);
    }
  }
  return type === "stdio"
    ? readStdio(path, server, settings)
    : readHttp(path, server, type, settings);
}

function readStdio(path: string, server: JsonObject, settings: ConfigSettings): PipeSource {
  const { spawn } = settings;
  if (spawn === undefined) {
    throw new TypeError(
      `"${path}" has a "command", which requires the option "spawn", such as spawnServer from @parley/mcp/process`,
    );
  }
  const { command, args = [], env, cwd } = server;
  if (!Array.isArray(args)) throw wrongType(`${path}.args`, "an array of strings", args);
  const program = expand(`${path}.command`, command, settings);
  if (program === "") {
    throw new TypeError(`"${path}.command" must be the name of a program, got ""`);
  }
  return spawn(
    program,
    args.map((arg, index) => expand(`${path}.args[${index}]`, arg, settings)),
    {
      ...env === undefined ? {} : { env: expandAll(`${path}.env`, env, settings) },
      ...cwd === undefined ? {} : { cwd: expand(`${path}.cwd`, cwd, settings) },
    },
  );
}

function readHttp(
  path: string,
  server: JsonObject,
  type: string,
  settings: ConfigSettings,
): HttpTransport | SseTransport {
  const url = expand(`${path}.url`, server.url, settings);
  // The URL is not part of the error message, because a URL may contain a secret.
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError(`"${path}.url" must be an HTTP or HTTPS URL`);
  }
  if (hasCredentials(url)) {
    throw new TypeError(
      `"${path}.url" must not contain a user name or a password; set the "authorization" header`,
    );
  }
  const headers = expandAll(`${path}.headers`, server.headers ?? {}, settings);
  for (const header of Object.entries(headers)) {
    if (!isHeader(header)) {
      throw new TypeError(`"${path}.headers.${escapeText(header[0])}" must be an HTTP header`);
    }
  }
  return type === "sse" ? new SseTransport(url, { headers }) : new HttpTransport(url, { headers });
}

function isHeader(header: [name: string, value: string]): boolean {
  try {
    return new Headers([header]).has(header[0]);
  } catch {
    // The original error is not kept as the cause, because its message may contain a secret value.
    return false;
  }
}

function readType(path: string, { type, command, url }: JsonObject): string {
  if (type === undefined && command === undefined && url === undefined) {
    throw new TypeError(`"${path}" must have a "command" or a "url"`);
  }
  const used = type ?? (command === undefined ? "http" : "stdio");
  if (typeof used === "string" && TYPES.includes(used)) return used;
  throw wrongType(`${path}.type`, `one of ${quote(TYPES)}`, used);
}

function readBoolean(path: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw wrongType(path, "a boolean", value);
}

function readObject(path: string, value: unknown): JsonObject {
  if (isRecord(value)) return value;
  throw wrongType(path, "an object", value);
}

function expandAll(path: string, value: unknown, settings: ConfigSettings): Record<string, string> {
  const entries = Object.entries(readObject(path, value));
  return Object.fromEntries(
    entries.map(([key, text]) => [key, expand(`${path}.${escapeText(key)}`, text, settings)]),
  );
}

/**
 * Content of a reference between `${` and `}`: an optional `env:`, the name of a variable, and an
 * optional default. A default cannot contain another reference, because the first `}` would end
 * both references.
 */
const REFERENCE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-((?!.*\$\{).*))?$/s;

/** Replaces the references in a string with the values of variables. */
function expand(path: string, text: unknown, { env }: ConfigSettings): string {
  if (typeof text !== "string") throw wrongType(path, "a string", text);
  return text.replaceAll(/\$\{([^}]*)\}/g, (reference, inner: string) => {
    const [, name, fallback] = REFERENCE.exec(inner) ?? [];
    if (name === undefined) {
      throw new TypeError(
        `"${path}" must refer to variables as \${VAR}, \${VAR:-default} or \${env:VAR}, got ${
          formatValue(reference)
        }`,
      );
    }
    const value = (Object.hasOwn(env, name) ? env[name] : undefined) ?? fallback;
    if (typeof value === "string") return value;
    throw new TypeError(
      `"${path}" refers to the variable "${
        escapeText(name)
      }", which is not set in the option "env"`,
    );
  });
}

function unknownKey(path: string, owner: string, keys: readonly string[]): TypeError {
  return new TypeError(`"${path}" is not a member of ${owner}, whose members are ${quote(keys)}`);
}

/**
 * Returns an error that contains the type of a value instead of the value, which may be a secret.
 */
function wrongType(path: string, expected: string, value: unknown): TypeError {
  const isPlain = value === undefined || typeof value === "boolean" || typeof value === "object";
  const got = isPlain ? formatValue(value) : `a ${typeof value}`;
  return new TypeError(`"${path}" must be ${expected}, got ${got}`);
}

function quote(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
