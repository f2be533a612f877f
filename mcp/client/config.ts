/**
 * Configuration of the MCP client.
 *
 * @module
 */

import type { AuthConfig } from "../auth/config.ts";
import type { ClientExtension } from "./extension.ts";
import { type InputHandlers, readHandlers } from "./input_handlers.ts";
import { ServerEra } from "./server_era.ts";
import type { HttpSource } from "./connect.ts";
import type { ClientCapabilities, Implementation } from "../protocol/capabilities.ts";
import type { AroundRequest } from "../protocol/around_request.ts";
import { type ProtocolVersion, REVISIONS } from "../protocol/revisions.ts";
import {
  assertCount,
  assertFunction,
  assertNonEmptyString,
  assertObject,
  assertOptionalBoolean,
  assertPositiveNumber,
  assertRecord,
  assertString,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { arrayOf, integerFrom } from "@parley/internal/option-checks";
import { optionsReader, required, type Settings, withDefault } from "@parley/internal/options";
import type { RpcNotification } from "../jsonrpc/message.ts";
import type { McpTransport, PipeSource, TransportConfig } from "../jsonrpc/contracts.ts";

/** Configuration of an {@linkcode McpClient}. */
export interface McpClientConfig {
  /**
   * Connection to the server: a transport configuration, a transport, or the result of
   * `spawnServer()`.
   */
  readonly transport: TransportConfig | McpTransport | PipeSource | HttpSource;
  /**
   * Authorization for requests to an HTTP server; see `@parley/mcp/auth`. If omitted, the client
   * does not respond to authorization challenges. `auth` is ignored for transports other than HTTP,
   * where servers read credentials from their environment.
   */
  readonly auth?: AuthConfig;
  /**
   * Name and version that the client sends to servers.
   *
   * @default {{ name: "parley", version: "0.1.0" }}
   */
  readonly clientInfo?: Implementation;
  /**
   * Protocol version to use.
   * - `auto`: the client detects the server's era and tries the modern era first.
   * - `modern`: the client uses only protocol version 2026-07-28 and later.
   * - `legacy`: the client uses only protocol version 2025-11-25 and earlier.
   * - A version such as `2025-06-18`: the client uses only the era of the given version. For a
   *   legacy version, the client requests that version, and the server can select an earlier
   *   version.
   *
   * @default {"auto"}
   */
  readonly protocol?: "auto" | "modern" | "legacy" | ProtocolVersion;
  /**
   * Handlers for the input that servers request from the client. The client declares each
   * capability only if the handler for that capability is set.
   */
  readonly handlers?: InputHandlers;
  /** Additional client capabilities to declare, such as `{ sampling: { tools: {} } }`. */
  readonly capabilities?: ClientCapabilities;
  /**
   * Protocol extensions, such as `clientTasks()` from `@parley/mcp/tasks`. If omitted, no
   * extensions are used.
   */
  readonly extensions?: readonly ClientExtension[];
  /**
   * Wraps each request of the client, for example to trace requests. Requests that open a
   * connection or a subscription stream, that set the log level, or that an extension sends on
   * behalf of another request are not wrapped.
   */
  readonly around?: AroundRequest;
  /**
   * Called with log messages, and with notifications that match no subscription. Progress
   * notifications are passed only to the request's `onProgress` callback. If omitted, log messages
   * and unmatched notifications are ignored.
   */
  readonly onNotification?: (notification: RpcNotification) => void;
  /**
   * Called with errors that do not reject a call: malformed server messages, invalid tools in a
   * list, accepted deviations from the protocol (see `strict`), and exceptions thrown by callbacks
   * or handlers. If omitted, errors are printed to standard error, each distinct error once and at
   * most 20 per minute. Pass `() => {}` to ignore errors. An error that `onError` throws is
   * printed.
   */
  readonly onError?: (error: unknown) => void;
  /**
   * Whether to reject responses that deviate from the protocol. If `false`, the client accepts a
   * deviation that has only one meaning, such as `isError: null`, and reports the first deviation
   * of each kind to `onError`, with code `tolerated` and at most 20 kinds. If `true`, the call
   * rejects with code `protocol_error`. Responses of authorization servers are accepted and
   * reported in both cases.
   *
   * @default {false}
   */
  readonly strict?: boolean;
  /**
   * The protocol era that the client tries first, such as the value of {@linkcode McpClient.era}
   * from an earlier connection to the server. If omitted, the client tries the modern era first.
   */
  readonly era?: ServerEra;
  /**
   * Whether to suppress requests for capabilities that the server does not declare. If `true`, a
   * list call for an undeclared capability returns an empty list, and any other call that needs an
   * undeclared capability rejects with code `protocol_error`. Use `false` for servers that do not
   * declare all of their capabilities.
   *
   * @default {true}
   */
  readonly enforceCapabilities?: boolean;
  /**
   * Whether `callTool()` rejects with code `core` if the tool fails. The error's `data` is the tool
   * result. If `false`, `callTool()` resolves with a result that has `isError` set.
   *
   * @default {false}
   */
  readonly throwOnToolError?: boolean;
  /**
   * Maximum number of requests in flight. Requests beyond `maxConcurrent` are queued. Time spent in
   * the queue counts toward a request's timeouts.
   *
   * @default {100}
   */
  readonly maxConcurrent?: number;
  /**
   * Maximum number of queued requests. Calls beyond `maxQueued` reject with code `core`.
   *
   * @default {1000}
   */
  readonly maxQueued?: number;
  /**
   * Maximum number of pages in a list. Requests for lists with more pages reject with code
   * `protocol_error`.
   *
   * @default {100}
   */
  readonly maxListPages?: number;
  /**
   * Maximum number of items in a list, across all pages. Requests for lists with more items reject
   * with code `protocol_error`.
   *
   * @default {10_000}
   */
  readonly maxListItems?: number;
  /**
   * Maximum length of a list as JSON, across all pages, in characters. Requests for lists longer
   * than `maxListChars` reject with code `protocol_error`.
   *
   * @default {16_777_216}
   */
  readonly maxListChars?: number;
  /**
   * Maximum number of input requests (elicitation, sampling and roots) that are handled at the same
   * time. A response with more than `maxInputRequests` input requests rejects with code
   * `protocol_error`. Additional input requests wait in the modern era, and receive an error in the
   * legacy era.
   *
   * @default {100}
   */
  readonly maxInputRequests?: number;
  /**
   * Timeout for the server's first response, in milliseconds. If the server does not respond in
   * time, the client tries the next era.
   *
   * @default {5000}
   */
  readonly probeTimeoutMs?: number;
  /**
   * Timeout for each request that `connect()` sends, in milliseconds. The default timeout leaves
   * time for start commands that download the server, such as `npx`.
   *
   * @default {60_000}
   */
  readonly connectTimeoutMs?: number;
}

/** Client options that have a default. */
type ClientDefault = Exclude<
  keyof McpClientConfig,
  "transport" | "auth" | "around" | "onError" | "era"
>;

/** Configuration of a client after reading. */
export type ClientSettings = Settings<McpClientConfig, ClientDefault>;

const readOptions = optionsReader<McpClientConfig>("config")({
  transport: required(checkedLater),
  // `connect()` reads the settings, because a client without authorization must not load the code
  // for it.
  auth: assertObject,
  clientInfo: withDefault({ name: "parley", version: "0.1.0" }, assertImplementation),
  protocol: withDefault("auto", assertProtocol),
  handlers: withDefault({}, assertObject),
  capabilities: withDefault({}, assertObject),
  extensions: withDefault([], arrayOf("client extensions", assertExtension)),
  around: assertFunction,
  onNotification: withDefault(ignore, assertFunction),
  onError: assertFunction,
  era: assertEra,
  enforceCapabilities: withDefault(true, assertOptionalBoolean),
  throwOnToolError: withDefault(false, assertOptionalBoolean),
  strict: withDefault(false, assertOptionalBoolean),
  maxConcurrent: withDefault(100, assertCount),
  maxQueued: withDefault(1000, integerFrom(0)),
  maxListPages: withDefault(100, assertCount),
  maxListItems: withDefault(10_000, assertCount),
  maxListChars: withDefault(16_777_216, assertCount),
  maxInputRequests: withDefault(100, assertCount),
  probeTimeoutMs: withDefault(5000, assertPositiveNumber),
  connectTimeoutMs: withDefault(60_000, assertPositiveNumber),
});

/**
 * Reads the configuration of a client.
 *
 * @throws {TypeError} If a name is not an option, an option has the wrong type, or `protocol` or
 * `era` is not valid.
 * @throws {RangeError} If a limit or a timeout is out of range.
 */
export function readConfig(config: McpClientConfig): ClientSettings {
  const settings = readOptions(config);
  return { ...settings, handlers: readHandlers(settings.handlers) };
}

/** `toSource()` checks the transport, because a transport can have several forms. */
function checkedLater(): void {}

function assertProtocol(name: string, value: unknown): void {
  const known: readonly unknown[] = [
    "auto",
    "modern",
    "legacy",
    ...REVISIONS.map(({ version }) => version),
  ];
  if (known.includes(value)) return;
  const requirement = '"auto", "modern", "legacy" or a supported protocol version';
  rejectArgument(name, requirement, value);
}

function assertEra(name: string, value: unknown): void {
  const known: readonly unknown[] = Object.values(ServerEra);
  if (!known.includes(value)) rejectArgument(name, "a value of ServerEra", value);
}

/** The value may have more members, because the client sends it to servers. */
function assertImplementation(name: string, value: unknown): void {
  assertRecord(name, value);
  assertString(`${name}.name`, value.name);
  assertString(`${name}.version`, value.version);
}

function assertExtension(name: string, extension: unknown): void {
  assertRecord(name, extension);
  assertNonEmptyString(`${name}.id`, extension.id);
}

function ignore(): void {}
