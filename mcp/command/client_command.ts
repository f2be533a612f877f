/**
 * The commands `parley-mcp list`, `call`, `read`, `prompt` and `inspect`. Each connects to a
 * server, sends requests and prints the result.
 *
 * @module
 */

import { createRepeatFilter } from "@parley/internal/repeat-filter";
import { escapeText, excerpt } from "@parley/internal/escape-text";
import type { McpClient } from "../client/client.ts";
import type { RequestOptions } from "../client/request_options.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { McpError, McpErrorCode } from "../shared/error.ts";
import { readCallArguments } from "./call_arguments.ts";
import {
  type ClientCommand,
  type CommandLine,
  type ListName,
  parseCommandLine,
} from "./command_line.ts";
import { createAccess, formatEvent, formatTime, type SpawnProgram } from "./connect_server.ts";
import { formatJson } from "./escape_output.ts";
import { describeError, ExitCode, exitCodeOf, messageOf, UsageError } from "./exit_code.ts";
import {
  formatCount,
  formatMessages,
  formatParts,
  type Part,
  resourcePart,
  toBytes,
  toolParts,
} from "./format_content.ts";
import { formatLists, type Lists } from "./format_lists.ts";
import { formatInspection, inspectServer } from "./inspect.ts";
import type { CliIo } from "./run_program.ts";

/** Limit of the time in which the user fills in the forms of a request, in milliseconds. */
const INPUT_MS = 600_000;

/** The result of a command. */
interface Outcome {
  /** The result, for `--json`. */
  readonly value: unknown;
  /** The result as text for the terminal. */
  readonly text: string;
  /** The content of the result, for `--output`. */
  readonly parts?: readonly Part[];
  readonly isError?: boolean;
  /** Error of a list, which is reported after the other lists are printed. */
  readonly failure?: McpError;
}

/** A connected client, with the options of each request. */
interface Connection {
  readonly client: McpClient;
  readonly request: RequestOptions;
  readonly connectMs: number;
  /** Warnings of the client so far. */
  readonly warnings: readonly string[];
}

/**
 * Runs a command that talks to a server.
 *
 * @param args Arguments that follow the name of the command.
 * @param options Access to the terminal and files, and the function that starts programs.
 * @returns The exit code.
 * @throws {UsageError} If the command line is not valid and does not contain `--json`.
 */
export async function runClientCommand(
  command: ClientCommand,
  args: readonly string[],
  { io, spawn }: { readonly io: CliIo; readonly spawn: SpawnProgram },
): Promise<ExitCode> {
  const line = parseLine(command, args, io);
  if (line === undefined) return ExitCode.Usage;
  const warnings: string[] = [];
  try {
    const access = await createAccess(line, io, { spawn, onError: warnTo(warnings, line, io) });
    try {
      const connection = { warnings, ...await connect(access.client, line, io) };
      const outcome = await execute(line, connection, io);
      await print(outcome, line, io);
      if (outcome.failure !== undefined) return printError(outcome.failure, line, io);
      return outcome.isError === true ? ExitCode.ToolError : ExitCode.Success;
    } finally {
      await access.close();
    }
  } catch (error) {
    return report(error, line, io);
  }
}

/** Parses a command line. With `--json`, prints an error as JSON and returns `undefined`. */
function parseLine(
  command: ClientCommand,
  args: readonly string[],
  { err }: CliIo,
): CommandLine | undefined {
  try {
    return parseCommandLine(command, args);
  } catch (error) {
    const end = args.indexOf("--");
    const json = args.indexOf("--json");
    const hasJson = json !== -1 && (end === -1 || json < end);
    if (!(error instanceof UsageError) || !hasJson) throw error;
    err(formatError(error, { exit: ExitCode.Usage, message: error.message }));
    return undefined;
  }
}

/** Returns a function that prints each distinct warning once, and adds it to the list. */
function warnTo(
  warnings: string[],
  { command }: CommandLine,
  { err }: CliIo,
): (error: unknown) => void {
  const filter = createRepeatFilter(Date.now);
  return (error) => {
    const message = messageOf(error);
    if (filter(message) === "dropped") return;
    warnings.push(message);
    // The description of the server contains the warnings.
    if (command !== "inspect") err(`parley-mcp: warning: ${escapeText(message)}\n`);
  };
}

async function connect(
  client: McpClient,
  { timeoutMs, verbose }: CommandLine,
  { err, signal }: CliIo,
): Promise<Omit<Connection, "warnings">> {
  const startedAt = performance.now();
  await client.connect({ signal });
  const connectMs = performance.now() - startedAt;
  if (verbose) err(formatTime(connectMs, "connect"));
  const hasLog = client.server?.capabilities.logging !== undefined;
  if (verbose && hasLog) await client.setLogLevel("debug", { signal, timeoutMs });
  const request = {
    timeoutMs,
    maxTotalMs: timeoutMs,
    maxInputMs: INPUT_MS,
    signal,
    ...(verbose
      ? { onProgress: (update: object) => err(formatEvent(`progress ${formatJson(update)}`)) }
      : {}),
  };
  return { client, request, connectMs };
}

async function execute(
  line: CommandLine,
  connection: Connection,
  io: CliIo,
): Promise<Outcome> {
  const { client, request } = connection;
  switch (line.command) {
    case "list":
      return await list(line.rest, connection, io);
    case "call":
      return await call(line.rest, connection, io);
    case "read": {
      const result = await client.getResource(line.rest[0] ?? "", request);
      const parts = result.contents.map(resourcePart);
      return { value: result, text: formatParts(parts), parts };
    }
    case "prompt":
      return await getPrompt(line.rest, connection, io);
    case "inspect": {
      const inspection = await inspectServer(client, connection);
      return { value: inspection, text: formatInspection(inspection) };
    }
    default:
      return line.command satisfies never;
  }
}

/**
 * Requests the lists that the command line names. A list that the server rejects does not prevent
 * the others: many servers do not implement `resources/templates/list`.
 */
async function list(
  words: readonly string[],
  { client, request }: Connection,
  { err, columns }: CliIo,
): Promise<Outcome> {
  let failure: McpError | undefined;
  const read = async <Item>(
    name: ListName,
    items: () => Promise<readonly Item[]>,
  ): Promise<readonly Item[] | undefined> => {
    if (words.length > 0 && !words.includes(name)) return undefined;
    try {
      return await items();
    } catch (error) {
      if (!(error instanceof McpError) || exitCodeOf(error) !== ExitCode.ServerError) throw error;
      if (error.rpcCode === RpcErrorCode.MethodNotFound) {
        err(`parley-mcp: warning: the server does not implement the list of ${name}\n`);
        return [];
      }
      failure ??= error;
      return undefined;
    }
  };
  const lists: Lists = {
    tools: await read("tools", () => client.listTools(request)),
    resources: await read("resources", () => client.listResources(request)),
    templates: await read("templates", () => client.listResourceTemplates(request)),
    prompts: await read("prompts", () => client.listPrompts(request)),
  };
  const text = formatLists(lists, columns);
  return { value: lists, text, ...(failure === undefined ? {} : { failure }) };
}

/**
 * Calls a tool. The list of tools is requested first, because the types of the arguments depend on
 * the schema of the tool, and because servers report an unknown tool in different ways.
 */
async function call(
  [name = "", ...words]: readonly string[],
  { client, request }: Connection,
  io: CliIo,
): Promise<Outcome> {
  const tools = await client.listTools(request);
  const tool = tools.find((known) => known.name === name);
  if (tool === undefined) throw unknownTool(name, tools);
  const args = await readCallArguments(words, tool.inputSchema, io);
  const result = await client.callTool(name, args, request);
  const parts = toolParts(result);
  return { value: result, text: formatParts(parts), parts, isError: result.isError === true };
}

/** Maximum length of the names of tools in an error message, in characters. */
const MAX_NAMES = 300;

function unknownTool(toolName: string, tools: readonly { readonly name: string }[]): McpError {
  const { message, details } = McpError.toolNotFound(toolName);
  const names = excerpt(tools.map(({ name }) => name).join(", "), MAX_NAMES);
  const hint = names === "" ? "the server has no tools" : `the tools of the server are ${names}`;
  return new McpError(McpErrorCode.ToolNotFound, details, `${message}; ${hint}`);
}

async function getPrompt(
  [name = "", ...words]: readonly string[],
  { client, request }: Connection,
  io: CliIo,
): Promise<Outcome> {
  const args = Object.entries(await readCallArguments(words, {}, io)).map(([key, value]) => {
    if (typeof value === "string") return [key, value];
    throw new UsageError(`Invalid arguments: the prompt argument "${key}" must be a string`);
  });
  const result = await client.getPrompt(name, Object.fromEntries(args), request);
  return { value: result, text: formatMessages(result.messages) };
}

async function print(
  { value, text, parts = [], isError = false }: Outcome,
  { json, output }: CommandLine,
  { out, err, writeFile }: CliIo,
): Promise<void> {
  // The text of a failed tool is not the content that the user wants in the file.
  const file = isError ? undefined : output;
  if (file !== undefined) {
    const bytes = toBytes(parts);
    await writeFile(file, bytes).catch((error) => {
      throw new UsageError(`Cannot write "${file}": ${messageOf(error)}`);
    });
    err(`parley-mcp: wrote ${formatCount(bytes.length)} bytes to "${escapeText(file)}"\n`);
  }
  if (json) out(`${formatJson(value)}\n`);
  else if (file === undefined && text !== "") out(text.endsWith("\n") ? text : `${text}\n`);
}

/** Reports an interrupt or an error in one line, and returns the exit code. */
function report(error: unknown, line: CommandLine, io: CliIo): ExitCode {
  if (!io.signal.aborted) return printError(error, line, io);
  io.err("parley-mcp: interrupted\n");
  return ExitCode.Interrupted;
}

/** Prints an error in one line, and returns the exit code. */
function printError(error: unknown, line: CommandLine, io: CliIo): ExitCode {
  const exit = exitCodeOf(error);
  if (exit === undefined || !(error instanceof Error)) throw error;
  const message = describeError(error, { remedy: remedyOf(line) });
  io.err(
    line.json ? formatError(error, { exit, message }) : `parley-mcp: ${escapeText(message)}\n`,
  );
  return exit;
}

/** Formats an error as one line of JSON. */
function formatError(
  error: Error,
  { exit, message }: { readonly exit: ExitCode; readonly message: string },
): string {
  const { code, rpcCode, httpStatus } = error instanceof McpError
    ? error
    : { code: "usage", rpcCode: undefined, httpStatus: undefined };
  return `${formatJson({ error: { exit, code, rpcCode, httpStatus, message } })}\n`;
}

/** Returns the remedy for a missing token, or `undefined` if the command line contains one. */
function remedyOf({ server, bearerEnv, login }: CommandLine): string | undefined {
  if (bearerEnv !== undefined || login !== undefined) return undefined;
  switch (server.type) {
    case "url": {
      const hasToken = server.headers.some((header) => /^authorization\s*:/i.test(header));
      return hasToken ? undefined : 'use "--bearer-env" or "--login"';
    }
    case "file":
      return `check the "headers" in "${server.file}", or use "--login"`;
    case "program":
      return "check the variables of the program";
    default:
      return server satisfies never;
  }
}
