/**
 * Interface for server extensions. The server does not depend on any specific extension.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation Extensions}
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { callWithin } from "@parley/internal/call-within";
import { isRecord } from "@parley/internal/json";
import { reportRejection } from "@parley/internal/report-rejection";
import { thenOrNow } from "../shared/then_or_now.ts";
import { toJsonValue } from "../shared/to_json_value.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import type { Principal } from "./exchange_context.ts";
import type {
  ExtensionSubscription,
  SendExtensionNotification,
  Subscriber,
} from "./extension_subscription.ts";
import type { ToolHttpInfo } from "./server_core.ts";
import type { MethodHandler } from "./dispatch.ts";
import type { ServerRegistration } from "./registration.ts";

/** A server extension. */
export interface ServerExtension {
  /** Identifier of the extension, such as `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  /**
   * Extension settings to declare in the server capabilities. If omitted, the settings are an empty
   * object.
   */
  readonly settings?: JsonObject;
  /**
   * Returns `false` while the extension must not be declared in the server capabilities. If
   * omitted, the extension is always declared.
   */
  readonly isOffered?: () => boolean;
  /**
   * Additional method handlers. Unless `open` is `true`, only clients that declare the extension
   * can call the methods.
   */
  readonly methods?: Readonly<Record<string, MethodHandler>>;
  /**
   * Whether clients that do not declare the extension can call its methods.
   *
   * @default {false}
   */
  readonly open?: boolean;
  /**
   * Registers the extension's own tools, resources and prompts. Called once by the server's
   * constructor, after the server has been created.
   */
  readonly attach?: (server: ServerRegistration) => void;
  /** Names of the request parameters that the `Mcp-Name` header mirrors, keyed by method. */
  readonly nameKeys?: Readonly<Record<string, string>>;
  /**
   * Wraps the handlers of methods that the server or an earlier extension implements, keyed by
   * method. Clients do not have to declare the extension to use the wrapped methods.
   */
  readonly wrap?: Readonly<Record<string, (handler: MethodHandler) => MethodHandler>>;
  /**
   * Returns the capabilities to declare in addition to the server's capabilities, for an extension
   * that adds items to the server's lists.
   */
  readonly capabilities?: () => ServerCapabilities;
  /**
   * Returns the HTTP metadata of a tool that the extension adds, or `undefined` if the principal
   * cannot see the tool.
   */
  readonly toolHttpInfo?: (
    name: string,
    principal: Principal | undefined,
  ) => ToolHttpInfo | undefined;
  /**
   * Adds the extension's notifications to a subscription: to a subscription stream, or to the
   * subscription of a legacy session to one resource. `wanted` is the subscription filter as sent
   * by the client; for a legacy session, the filter contains only `resourceSubscriptions` with one
   * URI. `end` ends the subscription stream, and has no effect in a legacy session. Resolves to
   * `undefined` if the filter contains nothing for this extension. If `accepted` in the result
   * contains `resourceSubscriptions`, the remaining URIs in the filter are not accepted.
   */
  readonly listen?: (
    wanted: JsonObject,
    subscriber: Subscriber,
    send: SendExtensionNotification,
    end: () => void,
  ) => Promise<ExtensionSubscription | undefined>;
  /**
   * Returns `true` if a principal may receive updates to a resource, and `false` if the extension
   * serves the resource through a resource template and hides it. Called after the `visible`
   * option. If the function throws or returns any other value, such as a promise, the principal
   * does not receive the update.
   */
  readonly canSeeResource?: (uri: string, principal: Principal | undefined) => boolean;
  /**
   * Stops the extension's operations. Called by `McpServer.close`, which waits for at most
   * `closeTimeoutMs` and reports an extension that takes longer.
   */
  readonly close?: () => Promise<void>;
}

/** Options for {@linkcode closeExtensions}. */
export interface CloseOptions {
  /** Maximum time to wait for each extension, in milliseconds. */
  readonly timeoutMs: number;
  /** Called with the extensions that do not close in time, and with all failures but the first. */
  readonly onError: (error: unknown) => void;
}

/**
 * Closes all extensions. An extension that fails or does not respond in time does not prevent the
 * others from closing.
 *
 * @throws The first failure, after all extensions have closed or timed out.
 */
export async function closeExtensions(
  extensions: readonly ServerExtension[],
  options: CloseOptions,
): Promise<void> {
  const closing = extensions.map((extension) => closeExtension(extension, options));
  const settled = await Promise.allSettled(closing);
  const [first, ...others] = settled.flatMap((one) => one.status === "rejected" ? [one] : []);
  for (const { reason } of others) options.onError(reason);
  if (first !== undefined) throw first.reason;
}

async function closeExtension(
  extension: ServerExtension,
  { timeoutMs, onError }: CloseOptions,
): Promise<void> {
  const reason = `it did not respond in ${timeoutMs} ms ("closeTimeoutMs")`;
  const timedOut = new Error(`Cannot close extension "${extension.id}": ${reason}`);
  const late = (): Error => timedOut;
  try {
    await callWithin(() => extension.close?.(), { signal: undefined, timeoutMs, late });
  } catch (error) {
    if (error !== timedOut) throw error;
    onError(timedOut);
  }
}

/**
 * Subscribes a client to the notifications of all extensions. If one extension fails, stops the
 * subscriptions of the other extensions and throws the error.
 *
 * @param report Called with errors that the `stop()` functions of the subscriptions throw, so that
 * a failing extension does not keep a stream or a session from ending.
 */
export async function listenToExtensions(
  extensions: readonly ServerExtension[],
  report: (error: unknown) => void,
  ...args: Parameters<NonNullable<ServerExtension["listen"]>>
): Promise<readonly ExtensionSubscription[]> {
  const settled = await Promise.allSettled(
    extensions.map(async (extension) => await extension.listen?.(...args)),
  );
  const subscriptions = settled
    .flatMap((one) => one.status === "fulfilled" ? one.value ?? [] : [])
    .map((one) => withSafeStop(one, report));
  const refused = settled.find((one) => one.status === "rejected");
  if (refused === undefined) return subscriptions;
  for (const one of subscriptions) one.stop();
  throw refused.reason;
}

function withSafeStop(
  subscription: ExtensionSubscription,
  report: (error: unknown) => void,
): ExtensionSubscription {
  const stop = (): void => {
    try {
      reportRejection(subscription.stop(), report);
    } catch (error) {
      report(error);
    }
  };
  return { accepted: subscription.accepted, stop };
}

/** Returns `true` if no extension hides a resource from a principal. */
export function allCanSeeResource(
  extensions: readonly ServerExtension[],
  uri: string,
  principal: Principal | undefined,
): boolean {
  return extensions.every((one) => {
    if (one.canSeeResource === undefined) return true;
    // Any value but `true`, such as a promise, must not count as `true`.
    const canSee: unknown = one.canSeeResource(uri, principal);
    reportRejection(canSee, () => {});
    return canSee === true;
  });
}

/** Returns `true` if a client declares an extension. */
export function declares({ capabilities }: ClientDescription, id: string): boolean {
  return isRecord(capabilities.extensions) && isRecord(capabilities.extensions[id]);
}

/**
 * Throws if a client does not declare an extension.
 *
 * @throws {McpError} With code `protocol_error` and `rpcCode` -32021.
 */
export function assertDeclared(client: ClientDescription, id: string): void {
  if (!declares(client, id)) throw missingExtension(id);
}

/** Creates the error for a client that does not declare an extension. */
export function missingExtension(id: string): McpError {
  return McpError.protocolError(`Missing required client capability: extension "${id}"`, {
    rpcCode: RpcErrorCode.MissingClientCapability,
    data: { requiredCapabilities: { extensions: { [id]: {} } } },
  });
}

/**
 * Returns the settings of all offered extensions, keyed by extension identifier, for the server
 * capabilities.
 */
export function extensionSettings(
  extensions: readonly ServerExtension[],
): Readonly<Record<string, JsonObject>> {
  const offered = extensions.filter(({ isOffered }) => isOffered?.() ?? true);
  return Object.fromEntries(offered.map(({ id, settings = {} }) => [id, settings]));
}

/**
 * Combines the method handlers from the server and its extensions.
 *
 * @throws {TypeError} If a method is already registered, or a method to wrap is unknown.
 */
export function withExtensions(
  methods: ReadonlyMap<string, MethodHandler>,
  extensions: readonly ServerExtension[],
): ReadonlyMap<string, MethodHandler> {
  const all = new Map(methods);
  for (const { id, methods: own = {}, open = false, wrap = {} } of extensions) {
    for (const [method, wrapHandler] of Object.entries(wrap)) {
      const handler = all.get(method);
      if (handler === undefined) {
        throw new TypeError(`Cannot add extension "${id}": method "${method}" is unknown`);
      }
      all.set(method, withJsonResult(method, wrapHandler(handler)));
    }
    for (const [method, handler] of Object.entries(own)) {
      if (all.has(method)) {
        throw new TypeError(
          `Cannot add extension "${id}": method "${method}" is already registered`,
        );
      }
      const call = withJsonResult(method, handler);
      all.set(method, (params, context) => {
        if (!open) assertDeclared(context.client, id);
        return call(params, context);
      });
    }
  }
  return all;
}

/**
 * Wraps a handler so that it throws a `TypeError` instead of returning a result that is not a JSON
 * object.
 */
function withJsonResult(method: string, handler: MethodHandler): MethodHandler {
  return (params, context) =>
    thenOrNow(handler(params, context), (result) => {
      try {
        const json = toJsonValue(result);
        if (isRecord(json)) return json;
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new TypeError(`The result of "${method}" is not JSON: ${reason}`, { cause });
      }
      throw new TypeError(`The result of "${method}" must be an object`);
    });
}
