/**
 * Tools that use the editor.
 *
 * @module
 */

import { assertCount, assertOptionalBoolean } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { defineTool, type Tool, type ToolContext, ToolError, ToolOutput } from "../tools/tool.ts";
import { AgentError } from "../shared/error.ts";
import { jsonSchema } from "../shared/typed_schema.ts";
import type { AcpSession } from "./acp_session.ts";
import { isWithin, normalizePath } from "./paths.ts";
import { AcpToolName } from "./session_update.ts";

/** Options for {@linkcode acpTools}. */
export interface AcpToolsOptions {
  /**
   * Whether `write_text_file` and `run_command` ask the user before each call. A call that the user
   * has already allowed, because the approval handler of the agent has deferred the decision, is
   * not asked for again.
   *
   * @default {true}
   */
  readonly askPermission?: boolean;
  /**
   * Whether paths outside the directories of the session are allowed.
   *
   * @default {false}
   */
  readonly allowOutsidePaths?: boolean;
  /**
   * Maximum size of the output of a command, in bytes; a positive integer. The beginning of a
   * longer output is removed.
   *
   * @default {65_536}
   */
  readonly maxOutputBytes?: number;
}

const readOptions = optionsReader<AcpToolsOptions>("options")({
  askPermission: withDefault(true, assertOptionalBoolean),
  allowOutsidePaths: withDefault(false, assertOptionalBoolean),
  maxOutputBytes: withDefault(65_536, assertCount),
});

type Settings = ReturnType<typeof readOptions>;

/** Schema of a path. */
const PATH = { type: "string", description: "Absolute path" } as const;

/**
 * Creates tools that read and write the files of the editor, and run commands in it:
 * `read_text_file`, `write_text_file` and `run_command`. Only the tools that the editor supports
 * are created.
 *
 * Paths must be absolute, and in a directory of the session. The editor resolves symbolic links, so
 * a link in a directory can lead out of it. A command can access everything that the user can
 * access: only the user's permission limits it.
 *
 * @param session Session of the editor.
 * @param options Permissions and limits.
 * @throws {TypeError} If an option is unknown or has the wrong type.
 * @throws {RangeError} If `maxOutputBytes` is not a positive integer.
 *
 * @example An agent that edits files, and asks before each change
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { type AcpSession, acpTools } from "@parley/runtime/acp";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const make = (session: AcpSession) =>
 *   new ToolLoopAgent({
 *     name: "coder",
 *     model: scriptedModel([{ text: "Done" }]),
 *     tools: acpTools(session, { askPermission: session.modeId !== "auto" }),
 *   });
 * assertEquals(make.length, 1); // the option `make` of `serveAcp`
 * ```
 */
export function acpTools(session: AcpSession, options: AcpToolsOptions = {}): readonly Tool[] {
  const settings = readOptions(options);
  const { readTextFile, terminal, writeTextFile } = session.client.capabilities;
  return [
    ...readTextFile ? [createReadTool(session, settings)] : [],
    ...writeTextFile ? [createWriteTool(session, settings)] : [],
    ...terminal ? [createRunTool(session, settings)] : [],
  ];
}

function createReadTool(session: AcpSession, settings: Settings): Tool {
  return defineTool({
    name: AcpToolName.Read,
    description: "Reads a text file of the user's project, including unsaved changes",
    inputSchema: jsonSchema<{ path: string; line?: number; limit?: number }>({
      type: "object",
      properties: {
        path: PATH,
        line: { type: "integer", minimum: 1, description: "First line to read, starting at 1" },
        limit: { type: "integer", minimum: 1, description: "Maximum number of lines to read" },
      },
      required: ["path"],
      additionalProperties: false,
    }),
    annotations: { readOnly: true },
    execute: async ({ path, ...range }, { signal }) =>
      await report(
        session.client.readTextFile(requirePath(session, settings, path), { ...range, signal }),
      ),
  });
}

function createWriteTool(session: AcpSession, settings: Settings): Tool {
  return defineTool({
    name: AcpToolName.Write,
    description: "Writes a text file of the user's project, replacing its content",
    inputSchema: jsonSchema<{ path: string; content: string }>({
      type: "object",
      properties: { path: PATH, content: { type: "string" } },
      required: ["path", "content"],
      additionalProperties: false,
    }),
    annotations: { destructive: true, idempotent: true },
    // The user may need any time to decide.
    timeoutMs: 0,
    execute: async (input, context) => {
      const path = requirePath(session, settings, input.path);
      if (!await isAllowed(session, settings, input, context)) return denied();
      const { signal } = context;
      await report(session.client.writeTextFile(path, input.content, { signal }));
      return `Wrote ${path}`;
    },
  });
}

function createRunTool(session: AcpSession, settings: Settings): Tool {
  return defineTool({
    name: AcpToolName.Run,
    description: "Runs a command in a terminal of the user's project, and returns its output",
    inputSchema: jsonSchema<{ command: string; args?: string[]; cwd?: string }>({
      type: "object",
      properties: {
        command: { type: "string", description: "Program to run, without a shell" },
        args: { type: "array", items: { type: "string" } },
        cwd: { type: "string", description: "Absolute path to the working directory" },
      },
      required: ["command"],
      additionalProperties: false,
    }),
    annotations: { destructive: true, openWorld: true },
    timeoutMs: 0,
    execute: async (input, context) => {
      const { args = [], command } = input;
      const cwd = requirePath(session, settings, input.cwd ?? session.cwd);
      if (!await isAllowed(session, settings, input, context)) return denied();
      const { maxOutputBytes } = settings;
      const { signal } = context;
      const options = { cwd, maxOutputBytes, signal };
      return await report(session.client.runCommand(command, args, options));
    },
  });
}

/** Returns the normalized path, so that the editor uses the path that was checked. */
function requirePath(
  { additionalDirectories, cwd }: AcpSession,
  { allowOutsidePaths }: Settings,
  path: string,
): string {
  const normalized = normalizePath(path);
  if (normalized === undefined) {
    throw new ToolError(`The path must be absolute, for example in "${cwd}". Got "${path}".`);
  }
  if (allowOutsidePaths || isWithin(normalized, [cwd, ...additionalDirectories])) return normalized;
  throw new ToolError(`The path must be in "${cwd}" or another directory of the session.`);
}

async function isAllowed(
  { client }: AcpSession,
  { askPermission }: Settings,
  input: unknown,
  context: ToolContext,
): Promise<boolean> {
  return !askPermission || await client.requestPermission(input, context);
}

/** Returns the errors of the editor to the model: that a file does not exist is not a fault. */
async function report<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!AgentError.isAgentError(cause)) throw cause;
    throw new ToolError(cause.message, { cause });
  }
}

function denied(): ToolOutput {
  return new ToolOutput({ type: "execution-denied", reason: "The user rejected the call" });
}
