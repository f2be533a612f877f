/**
 * `@modelcontextprotocol/client`, version 2 of the official SDK, in both eras.
 *
 * @module
 */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Inbox } from "../inbox.ts";
import { ANSWERS, type ForeignClient, type Notice, type Way } from "./client.ts";
import { fromSdk, toOutcome, toSdkOptions } from "./sdk.ts";

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

/** Connects, in the newest era that both sides know, or in the older one. */
export async function connectSdkV2(
  way: Way,
  mode: "auto" | "legacy",
  fetch = globalThis.fetch,
): Promise<ForeignClient> {
  const client = new Client({ name: "interop", version: "1.0.0" }, {
    capabilities: { elicitation: {}, sampling: {}, roots: {} },
    versionNegotiation: { mode },
  });
  client.setRequestHandler("elicitation/create", () => structuredClone(ANSWERS.user));
  client.setRequestHandler("sampling/createMessage", () => structuredClone(ANSWERS.model));
  client.setRequestHandler("roots/list", () => ({ roots: [...ANSWERS.roots.roots] }));
  const notices = new Inbox<Notice>();
  const hear = ({ method, params }: { method: string; params?: unknown }): void =>
    notices.push({ method, params });
  client.setNotificationHandler("notifications/message", hear);
  client.setNotificationHandler("notifications/tools/list_changed", hear);
  client.setNotificationHandler("notifications/resources/updated", hear);
  const transport = "url" in way
    ? new StreamableHTTPClientTransport(new URL(way.url), { fetch })
    : new StdioClientTransport({ ...way, env: Deno.env.toObject() });
  await client.connect(transport);
  const isModern = client.getProtocolEra() === "modern";
  let meta: { _meta?: { [LOG_LEVEL]: "debug" } } = {};
  return fromSdk(client, {
    version: client.getNegotiatedProtocolVersion(),
    notices,
    pings: !isModern,
    callTool: async (name, args, options = {}) =>
      toOutcome(
        await client.callTool({ name, arguments: args, ...meta }, toSdkOptions(options)),
      ),
    wantLogs: isModern
      ? () => Promise.resolve(meta = { _meta: { [LOG_LEVEL]: "debug" } })
      : () => client.setLoggingLevel("debug"),
    wantNews: isModern
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
