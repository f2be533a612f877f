/**
 * `@modelcontextprotocol/sdk`, version 1 of the official SDK.
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
import { Inbox } from "../inbox.ts";
import { ANSWERS, type ForeignClient, type Notice, type Way } from "./client.ts";
import { fromSdk, toOutcome, toSdkOptions } from "./sdk.ts";

/** Connects. */
export async function connectSdkV1(
  way: Way,
  fetch = globalThis.fetch,
): Promise<ForeignClient> {
  const client = new Client({ name: "interop", version: "1.0.0" }, {
    capabilities: { elicitation: {}, sampling: {}, roots: {} },
  });
  client.setRequestHandler(ElicitRequestSchema, () => structuredClone(ANSWERS.user));
  client.setRequestHandler(CreateMessageRequestSchema, () => structuredClone(ANSWERS.model));
  client.setRequestHandler(
    ListRootsRequestSchema,
    () => structuredClone({ roots: [...ANSWERS.roots.roots] }),
  );
  const notices = new Inbox<Notice>();
  const hear = ({ method, params }: { method: string; params?: unknown }): void =>
    notices.push({ method, params });
  client.setNotificationHandler(LoggingMessageNotificationSchema, hear);
  client.setNotificationHandler(ToolListChangedNotificationSchema, hear);
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, hear);
  const transport = "url" in way
    ? new StreamableHTTPClientTransport(new URL(way.url), { fetch })
    : new StdioClientTransport({ ...way, env: Deno.env.toObject() });
  let version: string | undefined;
  const { setProtocolVersion } = transport as { setProtocolVersion?: (version: string) => void };
  Object.assign(transport, {
    setProtocolVersion: (negotiated: string): void => {
      version = negotiated;
      setProtocolVersion?.call(transport, negotiated);
    },
  });
  // The SDK's own types do not fit each other under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return fromSdk(client, {
    version,
    notices,
    pings: true,
    callTool: async (name, args, options = {}) =>
      toOutcome(
        await client.callTool({ name, arguments: args }, undefined, toSdkOptions(options)),
      ),
    wantLogs: () => client.setLoggingLevel("debug"),
    wantNews: (uri) => client.subscribeResource({ uri }),
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await client.close();
    },
  });
}
