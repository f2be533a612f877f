/**
 * The command line of `parley-mcp list`, `call`, `read`, `prompt` and `inspect`.
 *
 * @module
 */

import { parseArgs, type ParseArgsConfig } from "node:util";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { UsageError } from "./exit_code.ts";

/** Commands that talk to a server. */
export const CLIENT_COMMANDS = ["list", "call", "read", "prompt", "inspect"] as const;

/** Name of a command that talks to a server. */
export type ClientCommand = (typeof CLIENT_COMMANDS)[number];

/** Lists that `parley-mcp list` can request. */
export const LISTS = ["tools", "resources", "templates", "prompts"] as const;

/** Name of a list. */
export type ListName = (typeof LISTS)[number];

/** Transport to the server. */
export type ServerArgument =
  | { readonly type: "url"; readonly url: string; readonly headers: readonly string[] }
  | { readonly type: "file"; readonly file: string; readonly name: string }
  | {
    readonly type: "program";
    readonly command: string;
    readonly args: readonly string[];
    /** Names of environment variables that the program receives. */
    readonly env: readonly string[];
  };

/** Options for a login in a browser. */
export interface LoginArguments {
  readonly store: string | undefined;
  readonly clientId: string | undefined;
}

/** A parsed command line. */
export interface CommandLine {
  readonly command: ClientCommand;
  readonly server: ServerArgument;
  /** Arguments that follow the server. */
  readonly rest: readonly string[];
  /** Name of the environment variable that contains a bearer token. */
  readonly bearerEnv: string | undefined;
  readonly login: LoginArguments | undefined;
  readonly protocol: string | undefined;
  readonly timeoutMs: number;
  readonly json: boolean;
  readonly verbose: boolean;
  /** File that receives the content of the result. */
  readonly output: string | undefined;
}

const OPTIONS = {
  config: { type: "string" },
  env: { type: "string", multiple: true },
  header: { type: "string", short: "H", multiple: true },
  "bearer-env": { type: "string" },
  login: { type: "boolean" },
  store: { type: "string" },
  "client-id": { type: "string" },
  protocol: { type: "string" },
  timeout: { type: "string" },
  json: { type: "boolean" },
  verbose: { type: "boolean", short: "v" },
  output: { type: "string" },
} as const;

/**
 * Parses the arguments that follow the name of a command.
 *
 * @throws {UsageError} If an argument is unknown, missing or not valid.
 */
export function parseCommandLine(command: ClientCommand, args: readonly string[]): CommandLine {
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  const program = end === -1 ? undefined : args.slice(end + 1);
  const hint = TAKES_ARGUMENTS.includes(command)
    ? '; pass an argument as name=text, without "--"'
    : "";
  const { values, positionals } = parseOptions(own, OPTIONS, { hint });
  const { "bearer-env": bearerEnv, json = false, verbose = false, protocol, output } = values;
  if (output !== undefined && command !== "call" && command !== "read") {
    throw new UsageError('Invalid arguments: "--output" requires the command "call" or "read"');
  }
  if (output === "-") {
    throw new UsageError('Invalid arguments: "--output" must be the name of a file, got "-"');
  }
  const [server, rest] = program === undefined
    ? [readServer(positionals[0], values), positionals.slice(1)]
    : [readProgram(program, values.env), positionals];
  if (server.type !== "url" && (values.header !== undefined || bearerEnv !== undefined)) {
    throw new UsageError('Invalid arguments: "--header" and "--bearer-env" require a URL');
  }
  if (server.type !== "program" && values.env !== undefined) {
    throw new UsageError('Invalid arguments: "--env" requires a program after "--"');
  }
  const login = readLogin(values);
  if (server.type === "program" && (login !== undefined || values.config !== undefined)) {
    throw new UsageError('Invalid arguments: "--login" and "--config" require no program');
  }
  const timeoutMs = readTimeout(values.timeout);
  assertRest(command, rest);
  return { command, server, rest, bearerEnv, login, protocol, timeoutMs, json, verbose, output };
}

/** Commands whose server has named arguments, which users often write as options. */
const TAKES_ARGUMENTS: readonly ClientCommand[] = ["call", "prompt"];

/** Arguments that each command requires after the server, and the maximum number of arguments. */
const REST: Readonly<Record<ClientCommand, { readonly needs?: string; readonly max: number }>> = {
  list: { max: LISTS.length },
  call: { needs: "the name of the tool", max: Infinity },
  read: { needs: "the URI of the resource", max: 1 },
  prompt: { needs: "the name of the prompt", max: Infinity },
  inspect: { max: 0 },
};

function assertRest(command: ClientCommand, rest: readonly string[]): void {
  const { needs, max } = REST[command];
  if (needs !== undefined && rest.length === 0) {
    throw new UsageError(`Invalid arguments: ${needs} is missing`);
  }
  if (rest.length > max) throw new UsageError(`Invalid arguments: unexpected "${rest[max]}"`);
  const known: readonly string[] = LISTS;
  const unknown = command === "list" ? rest.find((name) => !known.includes(name)) : undefined;
  if (unknown === undefined) return;
  throw new UsageError(`Invalid arguments: "${unknown}" is not one of ${LISTS.join(", ")}`);
}

/**
 * Parses options with `parseArgs`, and reports unknown options in one sentence.
 *
 * @param settings Text that follows the error for an unknown option.
 */
export function parseOptions<const Options extends Exclude<ParseArgsConfig["options"], undefined>>(
  args: readonly string[],
  options: Options,
  { hint = "" }: { readonly hint?: string } = {},
): ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    // The first sentence of a `parseArgs` error names the invalid argument. The remaining sentences
    // of the error explain how to pass a positional argument.
    const message = error instanceof Error ? error.message : String(error);
    const [reason] = message.split(/\.? To specify|\.?\n/);
    const isUnknown = message.startsWith("Unknown option");
    throw new UsageError(`Invalid arguments: ${reason}${isUnknown ? hint : ""}`);
  }
}

function readServer(
  name: string | undefined,
  { config, header = [] }: {
    readonly config?: string | undefined;
    readonly header?: readonly string[] | undefined;
  },
): ServerArgument {
  if (name === undefined) {
    throw new UsageError(
      'Invalid arguments: the SERVER is missing: a URL, a name with "--config", or a program after "--"',
    );
  }
  if (config !== undefined) return { type: "file", file: config, name };
  if (URL.canParse(name) && /^https?:$/.test(new URL(name).protocol)) {
    return { type: "url", url: name, headers: header };
  }
  throw new UsageError(
    `Invalid arguments: "${name}" is not an HTTP or HTTPS URL; a name requires "--config", and a program "--"`,
  );
}

function readProgram(
  [command = "", ...args]: readonly string[],
  env: readonly string[] = [],
): ServerArgument {
  if (command === "") throw new UsageError('Invalid arguments: the program after "--" is missing');
  return { type: "program", command, args, env };
}

function readLogin(
  { login = false, store, "client-id": clientId }: {
    readonly login?: boolean | undefined;
    readonly store?: string | undefined;
    readonly "client-id"?: string | undefined;
  },
): LoginArguments | undefined {
  if (login) return { store, clientId };
  if (store === undefined && clientId === undefined) return undefined;
  throw new UsageError('Invalid arguments: "--store" and "--client-id" require "--login"');
}

function readTimeout(text: string | undefined): number {
  if (text === undefined) return 60_000;
  const timeoutMs = Number(text) * 1000;
  if (/^\d*\.?\d+$/.test(text) && timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS) return timeoutMs;
  throw new UsageError(
    `Invalid arguments: "--timeout" must be a positive number of seconds, got "${text}"`,
  );
}
