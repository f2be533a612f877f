/**
 * The operations of an editor, for the tools of one session.
 *
 * @see {@link https://agentclientprotocol.com/protocol/v1/file-system File system}
 * @see {@link https://agentclientprotocol.com/protocol/v1/terminals Terminals}
 * @module
 */

import {
  assertCount,
  assertNonEmptyString,
  assertOptionalSignal,
} from "@parley/internal/assert-argument";
import { asRecord, defined } from "@parley/internal/json";
import { optionsReader, withDefault } from "@parley/internal/options";
import { AgentError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import type { ToolContext } from "../tools/tool.ts";
import type {
  AcpCallOptions,
  AcpClient,
  AcpClientCapabilities,
  AcpCommandOptions,
  AcpCommandResult,
  AcpReadOptions,
} from "./acp_session.ts";
import type { Connection, EditorRequestOptions } from "./connection.ts";

const readCallOptions = optionsReader<AcpCallOptions>("options")({ signal: assertOptionalSignal });

const readReadOptions = optionsReader<AcpReadOptions>("options")({
  line: assertCount,
  limit: assertCount,
  signal: assertOptionalSignal,
});

const readCommandOptions = optionsReader<AcpCommandOptions>("options")({
  cwd: assertNonEmptyString,
  maxOutputBytes: withDefault(65_536, assertCount),
  signal: assertOptionalSignal,
});

/** Settings of the operations. */
export interface EditorSettings {
  readonly sessionId: string;
  readonly cwd: string;
  readonly capabilities: AcpClientCapabilities;
  readonly connection: Connection;
  readonly timeoutMs: number;
  /** Asks the user for the permission for a tool call. */
  readonly ask: (input: unknown, context: ToolContext) => Promise<boolean>;
}

/** The editor, as the tools of a session use it. */
export class Editor implements AcpClient {
  readonly capabilities: AcpClientCapabilities;
  readonly #settings: EditorSettings;

  constructor(settings: EditorSettings) {
    this.capabilities = settings.capabilities;
    this.#settings = settings;
  }

  async readTextFile(
    path: string,
    options: AcpReadOptions = {},
  ): Promise<string> {
    const { limit, line, signal } = readReadOptions(options);
    this.#assert("readTextFile", "read files");
    const method = "fs/read_text_file";
    const { content } = await this.#request(method, defined({ path, line, limit }), { signal });
    if (typeof content !== "string") throw malformed(method, "content");
    return content;
  }

  async writeTextFile(
    path: string,
    content: string,
    options: AcpCallOptions = {},
  ): Promise<void> {
    const { signal } = readCallOptions(options);
    this.#assert("writeTextFile", "write files");
    await this.#request("fs/write_text_file", { path, content }, { signal });
  }

  async runCommand(
    command: string,
    args: readonly string[],
    options: AcpCommandOptions = {},
  ): Promise<AcpCommandResult> {
    const { cwd = this.#settings.cwd, maxOutputBytes, signal } = readCommandOptions(options);
    this.#assert("terminal", "run commands");
    const params = { command, args, cwd, outputByteLimit: maxOutputBytes };
    signal?.throwIfAborted();
    // The request is not cancelled: a command that the editor starts nevertheless would not be
    // killed.
    const { terminalId } = await this.#request("terminal/create", params);
    if (typeof terminalId !== "string") throw malformed("terminal/create", "terminalId");
    try {
      const exit = await this.#request("terminal/wait_for_exit", { terminalId }, {
        signal,
        timeoutMs: undefined,
      });
      const result = await this.#request("terminal/output", { terminalId }, { signal });
      return {
        output: typeof result.output === "string" ? result.output : "",
        isTruncated: result.truncated === true,
        exitCode: typeof exit.exitCode === "number" ? exit.exitCode : null,
      };
    } finally {
      await this.#release(terminalId);
    }
  }

  requestPermission(input: unknown, context: ToolContext): Promise<boolean> {
    return this.#settings.ask(input, context);
  }

  /** Releases a terminal, which kills a running command. */
  async #release(terminalId: string): Promise<void> {
    try {
      await this.#request("terminal/release", { terminalId });
    } catch {
      // The command has ended, or the connection has: the result of the command matters more.
    }
  }

  async #request(
    method: string,
    params: JsonObject,
    options: EditorRequestOptions = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const { connection, sessionId, timeoutMs } = this.#settings;
    return asRecord(
      await connection.request(method, { sessionId, ...params }, { timeoutMs, ...options }),
    );
  }

  #assert(capability: keyof AcpClientCapabilities, operation: string): void {
    if (this.capabilities[capability]) return;
    throw AgentError.core(`Cannot ${operation}: the editor does not support it`);
  }
}

function malformed(method: string, member: string): AgentError {
  return AgentError.core(
    `Cannot complete the request "${method}": the response has no "${member}"`,
  );
}
