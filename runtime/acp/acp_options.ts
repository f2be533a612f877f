/**
 * Options for serving an agent to an editor.
 *
 * @module
 */

import {
  assertCount,
  assertFunction,
  assertNonEmptyString,
  assertObject,
  assertOptionalBoolean,
  assertOptionalFunction,
  assertOptionalSignal,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { arrayOf, int32From, nested } from "@parley/internal/option-checks";
import {
  type DefaultRule,
  type OptionCheck,
  type OptionsReader,
  optionsReader,
  required,
  type RequiredRule,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { MAX_LINE_BYTES } from "@parley/internal/split-lines";
import type { ToolLoopAgent } from "../agent/agent.ts";
import type { SessionStorage } from "../session/storage.ts";
import type { AcpMode, AcpSession, AcpToolKind } from "./acp_session.ts";

/** Options for {@linkcode serveAcp}. */
export interface ServeAcpOptions {
  /** Name of the agent, which the editor receives. */
  readonly name: string;
  /** Version of the agent, which the editor receives. */
  readonly version: string;
  /**
   * Creates the agent of a run. Called once per prompt, and again when the run continues after a
   * permission.
   *
   * @param session The session. Its tools can use the editor.
   */
  readonly make: (session: AcpSession) => ToolLoopAgent | Promise<ToolLoopAgent>;
  /**
   * Storage of the conversations, which the editor can load later. Disposed of when serving ends.
   * The ids of the sessions in the storage start with `acp/`.
   */
  readonly storage: SessionStorage;
  /** Modes that the user can select. The first one is selected in a new session. */
  readonly modes?: readonly AcpMode[];
  /**
   * Returns the kind of a tool. If omitted, tools with the annotation `readOnly` are `"read"`,
   * tools with `openWorld` are `"fetch"`, and other tools are `"other"`; the tools of `acpTools`
   * have their own kinds.
   *
   * @param toolName Name of the tool, as written by the model.
   */
  readonly toolKind?: (toolName: string) => AcpToolKind;
  /**
   * Whether prompts may contain images.
   *
   * @default {false}
   */
  readonly image?: boolean;
  /**
   * Whether `make` connects to the MCP servers of a session that use HTTP. Otherwise, a session
   * with such a server is rejected.
   *
   * @default {false}
   */
  readonly mcpOverHttp?: boolean;
  /**
   * Maximum length of a line from the editor, in bytes; a positive integer. A longer line is
   * skipped, and responded to with an error.
   *
   * @default {10_485_760}
   */
  readonly maxLineBytes?: number;
  /**
   * Maximum number of open sessions; a positive integer. Editors often do not close sessions.
   *
   * @default {1000}
   */
  readonly maxSessions?: number;
  /**
   * Maximum number of requests in progress in each direction; a positive integer. Further requests
   * are rejected.
   *
   * @default {100}
   */
  readonly maxRequests?: number;
  /**
   * Maximum time for which the editor may leave a message unread, in milliseconds; a positive
   * integer. After this time, the runs are stopped and the connection ends.
   *
   * @default {120_000}
   */
  readonly unreadTimeoutMs?: number;
  /**
   * Maximum time for an operation on a file or a terminal, in milliseconds; a positive integer.
   * Permissions and running commands are not limited, and end with their prompt.
   *
   * @default {60_000}
   */
  readonly editorTimeoutMs?: number;
  /**
   * Returns the text that the editor receives for the error of a failed run. Errors can contain
   * secrets. If omitted, throws or returns a value that is not a string, the text is
   * `Internal error`.
   */
  readonly errorText?: (error: unknown) => string;
  /**
   * Called with errors that the editor does not receive, such as the error of a failed run. If
   * omitted, each distinct error is printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
  /** Stops serving when it is aborted, as at the end of the input. */
  readonly signal?: AbortSignal;
}

/** Options that have a default. */
type AcpDefault =
  | "modes"
  | "image"
  | "mcpOverHttp"
  | "maxLineBytes"
  | "maxSessions"
  | "maxRequests"
  | "unreadTimeoutMs"
  | "editorTimeoutMs";

/** Options for serving an agent after reading. */
export type AcpSettings = Settings<ServeAcpOptions, AcpDefault>;

const readMode = optionsReader<AcpMode>("mode")({
  id: required(assertNonEmptyString),
  name: required(assertNonEmptyString),
  description: (name, value) => value === undefined || assertNonEmptyString(name, value),
});

function assertModes(name: string, value: unknown): void {
  arrayOf("modes", nested(readMode))(name, value);
  const ids = Array.isArray(value) ? value.map(({ id }) => id) : [];
  if (new Set(ids).size < ids.length) rejectArgument(name, "modes with different ids", ids);
}

/** Options that must be set. */
type AcpRequired = "name" | "version" | "make" | "storage";

/** Rules for the options. */
export const ACP_RULES:
  & { readonly [Name in AcpRequired]: RequiredRule }
  & { readonly [Name in AcpDefault]: DefaultRule<Exclude<ServeAcpOptions[Name], undefined>> }
  & { readonly [Name in Exclude<keyof ServeAcpOptions, AcpRequired | AcpDefault>]: OptionCheck } = {
    name: required(assertNonEmptyString),
    version: required(assertNonEmptyString),
    make: required(assertFunction),
    // `openSessions` checks the members.
    storage: required(assertObject),
    modes: withDefault([], assertModes),
    toolKind: assertOptionalFunction,
    image: withDefault(false, assertOptionalBoolean),
    mcpOverHttp: withDefault(false, assertOptionalBoolean),
    maxLineBytes: withDefault(MAX_LINE_BYTES, int32From(1)),
    maxSessions: withDefault(1000, assertCount),
    maxRequests: withDefault(100, assertCount),
    unreadTimeoutMs: withDefault(120_000, int32From(1)),
    editorTimeoutMs: withDefault(60_000, int32From(1)),
    errorText: assertOptionalFunction,
    onError: assertOptionalFunction,
    signal: assertOptionalSignal,
  };

/** Reads the options. */
export const readAcpOptions: OptionsReader<ServeAcpOptions, AcpDefault> = optionsReader<
  ServeAcpOptions
>("options")(ACP_RULES);
