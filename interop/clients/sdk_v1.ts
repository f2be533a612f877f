/**
 * The client from `@modelcontextprotocol/sdk`, version 1 of the official SDK.
 *
 * @module
 */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { MessageBuffer } from "../message_buffer.ts";
import {
  type Endpoint,
  INPUT_RESPONSES,
  type ReceivedNotification,
  type ThirdPartyClient,
} from "./client.ts";
import { fromSdk, toOutcome, toSdkOptions } from "./sdk.ts";

/** Connects a client from version 1 of the official SDK. */
export async function connectSdkV1(
  endpoint: Endpoint,
  fetch = globalThis.fetch,
): Promise<ThirdPartyClient> {
  const client = new Client({ name: "interop", version: "1.0.0" }, {
    capabilities: { elicitation: {}, sampling: {}, roots: {} },
  });
  client.setRequestHandler(ElicitRequestSchema, () => structuredClone(INPUT_RESPONSES.user));
  client.setRequestHandler(
    CreateMessageRequestSchema,
    () => structuredClone(INPUT_RESPONSES.model),
  );
  client.setRequestHandler(
    ListRootsRequestSchema,
    () => structuredClone({ roots: [...INPUT_RESPONSES.roots.roots] }),
  );
  const notifications = new MessageBuffer<ReceivedNotification>();
  const onNotification = ({ method, params }: { method: string; params?: unknown }): void =>
    notifications.push({ method, params });
  client.setNotificationHandler(LoggingMessageNotificationSchema, onNotification);
  client.setNotificationHandler(ToolListChangedNotificationSchema, onNotification);
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, onNotification);
  const transport = "url" in endpoint
    ? new StreamableHTTPClientTransport(new URL(endpoint.url), { fetch })
    : new StdioClientTransport({ ...endpoint, env: Deno.env.toObject() });
  let version: string | undefined;
  const { setProtocolVersion } = transport as { setProtocolVersion?: (version: string) => void };
  Object.assign(transport, {
    setProtocolVersion: (negotiated: string): void => {
      version = negotiated;
      setProtocolVersion?.call(transport, negotiated);
    },
  });
  // The SDK's transport classes are not assignable to its `Transport` type under
  // `exactOptionalPropertyTypes`.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return fromSdk(client, {
    version,
    notifications,
    hasPing: true,
    callTool: async (name, args, options = {}) =>
      toOutcome(
        await client.callTool({ name, arguments: args }, undefined, toSdkOptions(options)),
      ),
    enableLogging: () => client.setLoggingLevel("debug"),
    subscribe: (uri) => client.subscribeResource({ uri }),
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await client.close();
    },
  });
}
