/**
 * Extensions of the protocol: the server knows how they plug in, and none of them.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation Extensions}
 * @module
 */

import { McpError } from "../shared/error.ts";
import { isJsonObject, type JsonObject } from "../shared/json.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { Method } from "../protocol/methods.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import type { MethodContext } from "./request_context.ts";
import type { MethodHandler } from "./dispatch.ts";

/** News of an extension on one stream. */
export interface ExtensionSubscription {
  /** What the client is told that it will hear, beside what it hears of the server. */
  readonly accepted: JsonObject;
  /** The stream has ended. */
  stop(): void;
}

/** Sends news. Of those about one subject that a slow client has not taken yet, it gets the newest. */
export type SendExtensionNotification = (
  method: string,
  subject: string,
  params: JsonObject,
) => void;

/** An extension on the server's side. */
export interface ServerExtension {
  /** Its identifier, such as `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  /** What the server says about it in its capabilities. Default: nothing more than that it is there. */
  readonly settings?: JsonObject;
  /** Its methods. Only clients that declare the extension may call them. */
  readonly methods?: Readonly<Record<string, MethodHandler>>;
  /** The member of the parameters that the header `Mcp-Name` repeats, by method. */
  readonly nameKeys?: Readonly<Record<string, string>>;
  /** Stands around `tools/call`; `next` does what happens without it. */
  readonly wrapToolCall?: (handler: MethodHandler) => MethodHandler;
  /** Adds to the news of a stream; `wanted` is what the client wants to hear, as it came. */
  readonly listen?: (
    wanted: JsonObject,
    context: MethodContext,
    send: SendExtensionNotification,
  ) => Promise<ExtensionSubscription | undefined>;
  /** Ends what it has under way; the server's own `close` calls it. */
  readonly close?: () => Promise<void>;
}

/** Whether a client declares an extension. */
export function declares({ capabilities }: ClientDescription, id: string): boolean {
  return isJsonObject(capabilities.extensions) && isJsonObject(capabilities.extensions[id]);
}

/**
 * Refuses a client that does not declare an extension.
 *
 * @throws {McpError} `protocol_error` (-32021)
 */
export function assertDeclared(client: ClientDescription, id: string): void {
  if (!declares(client, id)) throw missingExtension(id);
}

/** The error for a client that does not declare an extension. */
export function missingExtension(id: string): McpError {
  return McpError.protocolError(`Missing required client capability: extension "${id}"`, {
    rpcCode: RpcErrorCode.MissingClientCapability,
    data: { requiredCapabilities: { extensions: { [id]: {} } } },
  });
}

/** What the extensions say in the server's capabilities. */
export function extensionSettings(
  extensions: readonly ServerExtension[],
): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]));
}

/** The methods of the server with those of the extensions. */
export function withExtensions(
  methods: ReadonlyMap<string, MethodHandler>,
  extensions: readonly ServerExtension[],
): ReadonlyMap<string, MethodHandler> {
  const all = new Map(methods);
  for (const { id, methods: own = {}, wrapToolCall } of extensions) {
    const call = all.get(Method.CallTool);
    if (wrapToolCall !== undefined && call !== undefined) {
      all.set(Method.CallTool, wrapToolCall(call));
    }
    for (const [method, handler] of Object.entries(own)) {
      if (all.has(method)) {
        throw new TypeError(
          `Cannot add extension "${id}": method "${method}" is already registered`,
        );
      }
      all.set(method, (params, context) => {
        assertDeclared(context.client, id);
        return handler(params, context);
      });
    }
  }
  return all;
}
