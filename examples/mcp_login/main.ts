/**
 * Uses a server that requires authorization. The first run opens the browser. Tokens are stored in
 * a file that only its owner can read, so later runs need no login.
 *
 *     deno run -A examples/mcp_login/main.ts https://mcp.example.com/mcp
 *
 * @module
 */
import { type CredentialStore, McpClient } from "@parley/mcp/client";
import { openLoopback } from "@parley/mcp/auth/loopback";

const [url] = Deno.args;
if (url === undefined || !URL.canParse(url)) {
  console.error("Usage: main.ts URL");
  Deno.exit(2);
}
const file = `${Deno.env.get("HOME") ?? "."}/.parley-login.json`;

const { redirectUri, authorize, close } = await openLoopback({ port: 8910 });
const client = new McpClient({
  transport: { type: "http", url },
  auth: { discover: true, redirectUri, authorize, store: fileStore(file), clientName: "mcp_login" },
});
try {
  await client.connect();
  for (const tool of await client.listTools()) console.log(`${tool.name}: ${tool.description}`);
} finally {
  await client.disconnect();
  await close();
}

/**
 * Creates a credential store backed by a file. If the operating system has a keychain, store
 * credentials in the keychain.
 */
function fileStore(path: string): CredentialStore {
  const read = async (): Promise<Record<string, string>> => {
    try {
      return JSON.parse(await Deno.readTextFile(path));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return {};
      throw error;
    }
  };
  return {
    load: async (key) => (await read())[key],
    save: async (key, value) => {
      const { [key]: _old, ...rest } = await read();
      const kept = value === undefined ? rest : { ...rest, [key]: value };
      await Deno.writeTextFile(path, JSON.stringify(kept), { mode: 0o600 });
    },
  };
}
