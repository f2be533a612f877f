/**
 * The client from `@modelcontextprotocol/client`, version 2 of the official SDK, in both eras.
 *
 * @module
 */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { MessageBuffer } from "../message_buffer.ts";
import {
  type Endpoint,
  INPUT_RESPONSES,
  type ReceivedNotification,
  type ThirdPartyClient,
} from "./client.ts";
import { fromSdk, toOutcome, toSdkOptions } from "./sdk.ts";

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

/**
 * Connects a client from version 2 of the official SDK. Mode `auto` uses the latest common protocol
 * version, and mode `legacy` uses a session.
 */
export async function connectSdkV2(
  endpoint: Endpoint,
  mode: "auto" | "legacy",
  fetch = globalThis.fetch,
): Promise<ThirdPartyClient> {
  const client = new Client({ name: "interop", version: "1.0.0" }, {
    capabilities: { elicitation: {}, sampling: {}, roots: {} },
    versionNegotiation: { mode },
  });
  client.setRequestHandler("elicitation/create", () => structuredClone(INPUT_RESPONSES.user));
  client.setRequestHandler("sampling/createMessage", () => structuredClone(INPUT_RESPONSES.model));
  client.setRequestHandler("roots/list", () => ({ roots: [...INPUT_RESPONSES.roots.roots] }));
  const notifications = new MessageBuffer<ReceivedNotification>();
  const onNotification = ({ method, params }: { method: string; params?: unknown }): void =>
    notifications.push({ method, params });
  client.setNotificationHandler("notifications/message", onNotification);
  client.setNotificationHandler("notifications/tools/list_changed", onNotification);
  client.setNotificationHandler("notifications/resources/updated", onNotification);
  const transport = "url" in endpoint
    ? new StreamableHTTPClientTransport(new URL(endpoint.url), { fetch })
    : new StdioClientTransport({ ...endpoint, env: Deno.env.toObject() });
  await client.connect(transport);
  const isModern = client.getProtocolEra() === "modern";
  let meta: { _meta?: { [LOG_LEVEL]: "debug" } } = {};
  return fromSdk(client, {
    version: client.getNegotiatedProtocolVersion(),
    notifications,
    hasPing: !isModern,
    callTool: async (name, args, options = {}) =>
      toOutcome(
        await client.callTool({ name, arguments: args, ...meta }, toSdkOptions(options)),
      ),
    enableLogging: isModern
      ? () => Promise.resolve(meta = { _meta: { [LOG_LEVEL]: "debug" } })
      : () => client.setLoggingLevel("debug"),
    subscribe: isModern
      ? (uri) => client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] })
      : (uri) => client.subscribeResource({ uri }),
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport && !isModern) {
        await transport.terminateSession();
      }
      await client.close();
    },
  });
}
