/**
 * How a client is set up.
 *
 * @module
 */

import type { AuthConfig } from "../auth/config.ts";
import type { ClientExtension } from "./extension.ts";
import type { InputHandlers } from "./input_handlers.ts";
import type { ServerEra } from "./server_era.ts";
import type { HttpSource } from "./connect.ts";
import type { ClientCapabilities, Implementation } from "../protocol/capabilities.ts";
import type { ProtocolVersion } from "../protocol/revisions.ts";
import type { RpcNotification } from "../jsonrpc/message.ts";
import type { McpTransport, PipeSource, TransportConfig } from "../jsonrpc/contracts.ts";

/** How a client is set up. */
export interface McpClientConfig {
  /** What leads to the server: a description, a transport, or what `spawnServer` returns. */
  readonly transport: TransportConfig | McpTransport | PipeSource | HttpSource;
  /**
   * How credentials are got where a server on the web asks for them: `@parley/mcp/auth` says more. Default: not at all.
   * Servers that are no HTTP servers take theirs from their environment; this is not for them.
   */
  readonly auth?: AuthConfig;
  /** The software, as it calls itself to servers. Default `{ name: "parley", version: "0.1.0" }`. */
  readonly clientInfo?: Implementation;
  /**
   * Which protocol to speak: `auto` finds out what the server speaks, newest first; `modern` (since 2026-07-28) and
   * `legacy` (up to 2025-11-25) are one era only; a version such as `2025-06-18` is its era, with that one offered: the
   * server may still choose an older one. Default `auto`.
   */
  readonly protocol?: "auto" | "modern" | "legacy" | ProtocolVersion;
  /** Answers what servers ask. What has no handler is not offered to them. */
  readonly handlers?: InputHandlers;
  /** What the client offers beside that, such as `{ sampling: { tools: {} } }`. */
  readonly capabilities?: ClientCapabilities;
  /** Extensions of the protocol, such as `clientTasks()` of `@parley/mcp/tasks`. Default: none. */
  readonly extensions?: readonly ClientExtension[];
  /** Hears of notifications: log messages, and news that nobody listens to. */
  readonly onNotification?: (notification: RpcNotification) => void;
  /**
   * Hears of failures that no call rejects with: a server that writes what is no message, a tool that has to be left out
   * of a list, a handler that throws. Default: nobody does.
   */
  readonly onError?: (error: unknown) => void;
  /**
   * What an earlier client has found out about the server, its `client.era`: it is tried first. Default:
   * newest first.
   */
  readonly era?: ServerEra;
  /**
   * Whether what the server does not offer is not asked for: its lists are empty then, everything else rejects. Some
   * servers do not say what they offer; `false` asks them all the same. Default true.
   */
  readonly enforceCapabilities?: boolean;
  /**
   * Whether `callTool` rejects with a `core` error when a tool fails; its `data` is the result. Default false: a result
   * with `isError` is for the model to see.
   */
  readonly throwOnToolError?: boolean;
  /** How many calls may be under way at once; the others wait in line, within their time-outs. Default 100. */
  readonly maxConcurrent?: number;
  /** How long that line may be; further calls reject with `core`. Default 1000. */
  readonly maxQueued?: number;
  /** How many pages a list may have; one that goes on is a `protocol_error`. Default 1000. */
  readonly maxListPages?: number;
  /** How long to wait for the answer to the first question before the older era is tried too. Default 5000. */
  readonly probeTimeoutMs?: number;
  /** How long each step of connecting may take: a server may have to be downloaded first. Default 60 000. */
  readonly connectTimeoutMs?: number;
}
