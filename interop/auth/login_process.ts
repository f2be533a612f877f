/**
 * A client in a separate process, which shares a credential file with other processes. Each line
 * of standard input causes one call. The program prints the result of each call as a JSON object.
 *
 *     deno run -A --config interop/deno.json interop/auth/login_process.ts URL FILE USER
 *
 * @module
 */

import { createInterface } from "node:readline";
import process from "node:process";
import { fileStore } from "@parley/mcp/auth/file";
import { McpClient } from "@parley/mcp/client";
import { ScriptedUser } from "./scripted_user.ts";

/** Result of one call. */
export interface CallResult {
  /** Subject of the access token, or the error of the call. */
  readonly subject: string;
  /** Errors that were reported since the previous call. */
  readonly reports: readonly string[];
}

/** Redirect URI of all clients. No listener is needed, because users are scripted. */
export const REDIRECT_URI = "http://127.0.0.1:8910/callback";

if (import.meta.main) {
  const [url = "", file = "", name = ""] = Deno.args;
  const reports: string[] = [];
  const client = new McpClient({
    transport: { type: "http", url },
    auth: {
      discover: true,
      redirectUri: REDIRECT_URI,
      authorize: new ScriptedUser(name).authorize,
      scope: "use offline_access",
      store: fileStore(file),
      onError: (error) => void reports.push(String(error)),
    },
  });
  for await (const _line of createInterface({ input: process.stdin })) {
    const subject = await call(client).catch(String);
    console.log(JSON.stringify({ subject, reports: reports.splice(0) } satisfies CallResult));
  }
  await client.disconnect();
}

/** Connects at the first call, and returns the subject of the access token. */
export async function call(client: McpClient): Promise<string> {
  if (!client.connected) await client.connect();
  const { structuredContent } = await client.callTool("whoami", {});
  return String(Object(structuredContent).subject);
}
