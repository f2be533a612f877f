/**
 * Sessions of an editor, as the application sees them.
 *
 * @module
 */

import type { ToolContext } from "../tools/tool.ts";

/** Kind of a tool, from which the editor chooses an icon. */
export type AcpToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "other";

/**
 * A mode that the user can select in the editor, for example one that edits files without asking.
 */
export interface AcpMode {
  /** Id of the mode. */
  readonly id: string;
  /** Name that the editor displays. */
  readonly name: string;
  /** Description that the editor displays. */
  readonly description?: string;
}

/** An MCP server that the user has configured in the editor. */
export type AcpMcpServer =
  | {
    /** A program that serves MCP over its standard streams. */
    readonly type: "stdio";
    /** Name of the server. */
    readonly name: string;
    /** Path to the program. */
    readonly command: string;
    /** Arguments of the program. */
    readonly args: readonly string[];
    /** Environment variables to set. May contain secrets. */
    readonly env: Readonly<Record<string, string>>;
  }
  | {
    /** A server that serves MCP over HTTP. */
    readonly type: "http";
    /** Name of the server. */
    readonly name: string;
    /** URL of the server. */
    readonly url: string;
    /** Headers to send. May contain secrets. */
    readonly headers: Readonly<Record<string, string>>;
  };

/** Operations that the editor supports. */
export interface AcpClientCapabilities {
  /** Whether the editor reads files. */
  readonly readTextFile: boolean;
  /** Whether the editor writes files. */
  readonly writeTextFile: boolean;
  /** Whether the editor runs commands. */
  readonly terminal: boolean;
}

/** Options for an operation of the editor. */
export interface AcpCallOptions {
  /** Cancels the operation. */
  readonly signal?: AbortSignal;
}

/** Options for reading a file. */
export interface AcpReadOptions extends AcpCallOptions {
  /** Number of the first line to read, starting at 1; a positive integer. */
  readonly line?: number;
  /** Maximum number of lines to read; a positive integer. */
  readonly limit?: number;
}

/** Options for running a command. */
export interface AcpCommandOptions extends AcpCallOptions {
  /** Absolute path to the working directory. By default, that of the session. */
  readonly cwd?: string;
  /**
   * Maximum size of the output, in bytes; a positive integer. The beginning of a longer output is
   * removed.
   *
   * @default {65_536}
   */
  readonly maxOutputBytes?: number;
}

/** Result of a command. */
export interface AcpCommandResult {
  /** Output of the command. */
  readonly output: string;
  /** Whether the beginning of the output was removed. */
  readonly isTruncated: boolean;
  /** Exit code, or `null` if a signal ended the command. */
  readonly exitCode: number | null;
}

/**
 * The editor. Each method rejects with an `AgentError` with code `core` if the editor does not
 * support the operation, responds with an error or not in time, or disconnects; and with a
 * `TypeError` or a `RangeError` if an option is invalid.
 */
export interface AcpClient {
  /** Operations that the editor supports. */
  readonly capabilities: AcpClientCapabilities;
  /**
   * Reads a text file, including changes that the user has not saved.
   *
   * @param path Absolute path.
   */
  readTextFile(path: string, options?: AcpReadOptions): Promise<string>;
  /**
   * Writes a text file. Creates the file if it does not exist.
   *
   * @param path Absolute path.
   * @param content New content of the file.
   */
  writeTextFile(path: string, content: string, options?: AcpCallOptions): Promise<void>;
  /**
   * Runs a command in a terminal of the editor, and waits until it has exited. If the signal
   * aborts, the command is killed.
   *
   * @param command Command to run.
   * @param args Arguments of the command.
   */
  runCommand(
    command: string,
    args: readonly string[],
    options?: AcpCommandOptions,
  ): Promise<AcpCommandResult>;
  /**
   * Asks the user whether a tool call may be executed. Resolves to `true` without asking if the
   * user has already allowed the call with this input, because the approval handler of the agent
   * has deferred the decision. Resolves to `false` if the user rejects the call.
   *
   * @param input Input of the call, which the editor displays.
   * @param context Context that the tool has received.
   */
  requestPermission(input: unknown, context: ToolContext): Promise<boolean>;
}

/** A session that the editor has opened. */
export interface AcpSession {
  /** Id of the session. */
  readonly id: string;
  /** Absolute path to the working directory, chosen by the user. */
  readonly cwd: string;
  /** Absolute paths to further directories that the session may use. */
  readonly additionalDirectories: readonly string[];
  /** Id of the selected mode, or `undefined` if the agent has no modes. */
  readonly modeId: string | undefined;
  /** MCP servers that the user has configured. The application connects to them. */
  readonly mcpServers: readonly AcpMcpServer[];
  /** The editor. */
  readonly client: AcpClient;
  /**
   * Aborted when the editor closes the session, opens it again with other servers, or disconnects;
   * for example, to disconnect from the MCP servers. The same for all runs until then.
   */
  readonly signal: AbortSignal;
}
