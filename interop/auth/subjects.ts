/**
 * Checks the `@parley/mcp` client and server against a third-party authorization server.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import {
  type CredentialStore,
  type DiscoveryConfig,
  McpError,
  memoryStore,
} from "@parley/mcp/auth";
import { openLoopback } from "@parley/mcp/auth/loopback";
import { McpClient } from "@parley/mcp/client";
import type { Check, Subject } from "../check.ts";
import { openBrowser } from "./browser.ts";
import { REDIRECT_URI } from "./login_process.ts";
import { ScriptedUser } from "./scripted_user.ts";
import { checkSharedLogins } from "./shared_logins.ts";
import { type OidcSetup, startOidcSetup, TOKEN_SECONDS } from "./oidc_provider.ts";
import { TOKEN_EXCHANGE } from "./token_exchange.ts";

const NAME = "oidc-provider 9.13.3";

/** A scripted user and the client configuration for that user. */
interface TestUser {
  readonly setup: OidcSetup;
  readonly user: ScriptedUser;
  readonly store: CredentialStore;
  readonly config: DiscoveryConfig;
}

/**
 * Checks for our client and server with the third-party authorization server, one subject per token
 * format.
 */
export const AUTHORIZATION: readonly Subject[] = [
  {
    name: `${NAME} with signed tokens`,
    run: (check) => withOidcSetup("jwt", check, checkSigned),
  },
  {
    name: `${NAME} with opaque tokens`,
    run: (check) => withOidcSetup("opaque", check, checkOpaque),
  },
  TOKEN_EXCHANGE,
];

async function withOidcSetup(
  format: "jwt" | "opaque",
  check: Check,
  body: (check: Check, setup: OidcSetup) => Promise<void>,
): Promise<void> {
  const setup = await startOidcSetup(format);
  try {
    await body(check, setup);
  } finally {
    await setup.close();
  }
}

async function checkSigned(check: Check, setup: OidcSetup): Promise<void> {
  await check("the authorization code flow with dynamic client registration", async () => {
    const { config, user } = createTestUser(setup, "ada");
    assertEquals(await whoami(setup, config), { subject: "ada", scopes: ["use"] });
    assertEquals(user.logins, 1);
  });
  await check("an expired token is refreshed without a login", async () => {
    const { config, user } = createTestUser(setup, "bob", { scope: "use offline_access" });
    setup.setSeconds(20);
    const before = setup.grants.get("refresh_token") ?? 0;
    await withClient(setup, config, async (client) => {
      await client.callTool("whoami", {});
      await client.callTool("whoami", {});
    });
    setup.setSeconds(TOKEN_SECONDS);
    assert((setup.grants.get("refresh_token") ?? 0) >= before + 2);
    assertEquals(user.logins, 1);
  });
  await check(
    "a tool that requires another scope triggers a new authorization without a login",
    async () => {
      const { config, user } = createTestUser(setup, "ivy");
      const scopes = await withClient(setup, config, async (client) => {
        assertEquals((await client.callTool("write", {})).isError, undefined);
        const { structuredContent } = await client.callTool("whoami", {});
        return structuredContent;
      });
      assertEquals(scopes, { subject: "ivy", scopes: ["use", "write"] });
      assertEquals(user.logins, 1);
    },
  );
  await check("another client reuses the stored tokens", async () => {
    const { config, user } = createTestUser(setup, "cyd");
    await whoami(setup, config);
    await whoami(setup, config);
    assertEquals(user.logins, 1);
  });
  await checkSharedLogins(check, setup);
  await check("a revoked refresh token triggers a new authorization", async () => {
    const { config, store } = createTestUser(setup, "dan", { scope: "use offline_access" });
    setup.setSeconds(20);
    await withClient(setup, config, async (client) => {
      setup.setSeconds(TOKEN_SECONDS);
      await revoke(setup, store, "refreshToken");
      const before = setup.grants.get("authorization_code") ?? 0;
      const { structuredContent } = await client.callTool("whoami", {});
      assertEquals(structuredContent, { subject: "dan", scopes: ["use"] });
      assertEquals(setup.grants.get("authorization_code"), before + 1);
    });
  });
  await check("a DPoP-bound token is accepted with a proof", async () => {
    const { config } = createTestUser(setup, "eve", { dpop: true });
    assertEquals((await whoami(setup, config)).subject, "eve");
  });
  await check("a DPoP-bound token is rejected without a proof", async () => {
    const { config, store } = createTestUser(setup, "fay", { dpop: true });
    await whoami(setup, config);
    const { accessToken } = await loadTokens(setup, store);
    assertEquals(await statusFor(setup, `DPoP ${accessToken}`), 401);
    assertEquals(await statusFor(setup, `Bearer ${accessToken}`), 401);
  });
  await check("the client credentials grant", async () => {
    const config: DiscoveryConfig = {
      discover: true,
      clientId: "robot",
      clientSecret: "a secret of the robot",
      scope: "use",
      grant: { type: "client_credentials" },
    };
    assertEquals(await whoami(setup, config), { subject: "robot", scopes: ["use"] });
  });
  await check("a wrong client secret does not appear in the error", async () => {
    const config: DiscoveryConfig = {
      discover: true,
      clientId: "robot",
      clientSecret: "a wrong secret",
      grant: { type: "client_credentials" },
    };
    const error = await assertRejects(() => whoami(setup, config), McpError, "invalid_client");
    assert(!Deno.inspect(error, { depth: 9 }).includes("a wrong secret"));
  });
  await check(
    "an expired token, a modified token and a token from another issuer are rejected",
    async () => {
      const { config, store } = createTestUser(setup, "gil");
      await whoami(setup, config);
      const { accessToken } = await loadTokens(setup, store);
      assertEquals(await statusFor(setup, `Bearer ${accessToken}`), 200);
      assertEquals(await statusLater(setup, `Bearer ${accessToken}`), 401);
      const [header, claims = "", signature] = accessToken.split(".");
      const other = btoa(atob(claims).replace("gil", "eve")).replaceAll("=", "");
      assertEquals(await statusFor(setup, `Bearer ${header}.${other}.${signature}`), 401);
      const elsewhere = await startOidcSetup("jwt");
      const otherUser = createTestUser(elsewhere, "gil");
      await whoami(elsewhere, otherUser.config);
      const { accessToken: theirs } = await loadTokens(elsewhere, otherUser.store);
      assertEquals(await statusFor(setup, `Bearer ${theirs}`), 401);
      await elsewhere.close();
    },
  );
  await checkBrowser(check, setup);
}

async function checkOpaque(check: Check, setup: OidcSetup): Promise<void> {
  await check("the authorization code flow with dynamic client registration", async () => {
    const { config } = createTestUser(setup, "ada");
    assertEquals(await whoami(setup, config), { subject: "ada", scopes: ["use"] });
  });
  await check(
    "a revoked token triggers a new authorization without a login",
    async () => {
      const { config, user, store } = createTestUser(setup, "bob", { scope: "use offline_access" });
      await whoami(setup, config);
      // The authorization server revokes all tokens issued for a grant together.
      await revoke(setup, store, "accessToken");
      const before = setup.grants.get("authorization_code") ?? 0;
      assertEquals((await whoami(setup, config)).subject, "bob");
      assertEquals(setup.grants.get("authorization_code"), before + 1);
      assertEquals(user.logins, 1);
    },
  );
  await check("an unknown token is rejected", async () => {
    assertEquals(await statusFor(setup, "Bearer guess"), 401);
  });
}

/** Runs the authorization code flow in a real browser, if one is installed. */
async function checkBrowser(check: Check, setup: OidcSetup): Promise<void> {
  const browser = await openBrowser();
  if (browser === undefined) {
    return console.log(
      `      ${NAME}: Cannot check the login in a browser: Chromium was not found`,
    );
  }
  try {
    await check("a login in a browser, which is redirected to the loopback URL", async () => {
      const { redirectUri, authorize, close } = await openLoopback({
        open: (url) => browser.logIn(url, "hal"),
      });
      const { config } = createTestUser(setup, "unused", { redirectUri, authorize });
      try {
        assertEquals((await whoami(setup, config)).subject, "hal");
      } finally {
        await close();
      }
    }, 60_000);
  } finally {
    await browser.close();
  }
}

function createTestUser(
  setup: OidcSetup,
  name: string,
  more: Partial<DiscoveryConfig> = {},
): TestUser {
  const user = new ScriptedUser(name);
  const store = memoryStore();
  const { authorize } = user;
  const config: DiscoveryConfig = {
    discover: true,
    redirectUri: REDIRECT_URI,
    authorize,
    store,
    // Refresh tokens that are rejected are reported, and some checks expect this.
    onError: () => {},
    ...more,
  };
  return { setup, user, store, config };
}

async function withClient<T>(
  { resource }: OidcSetup,
  auth: DiscoveryConfig,
  use: (client: McpClient) => Promise<T>,
): Promise<T> {
  const client = new McpClient({ transport: { type: "http", url: resource }, auth });
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.disconnect();
  }
}

async function whoami(setup: OidcSetup, auth: DiscoveryConfig): Promise<Record<string, unknown>> {
  const { structuredContent } = await withClient(
    setup,
    auth,
    (client) => client.callTool("whoami", {}),
  );
  return { ...structuredContent as object };
}

interface StoredTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
}

/** Loads the tokens from a credential store. */
async function loadTokens({ resource }: OidcSetup, store: CredentialStore): Promise<StoredTokens> {
  return JSON.parse(await store.load(`tokens ${resource}`) ?? "");
}

/** Revokes one of the tokens, using the client's identifier (RFC 7009). */
async function revoke(
  setup: OidcSetup,
  store: CredentialStore,
  which: "accessToken" | "refreshToken",
): Promise<void> {
  const { client_id } = JSON.parse(await store.load(`client ${setup.issuer}`) ?? "");
  const { [which]: token = "" } = await loadTokens(setup, store);
  const body = new URLSearchParams({ client_id, token });
  const response = await fetch(`${setup.issuer}/token/revocation`, { method: "POST", body });
  assertEquals(response.status, 200);
  await response.body?.cancel();
}

/** Returns the HTTP status of a request with the given credentials. */
async function statusFor({ handle, resource }: OidcSetup, authorization: string): Promise<number> {
  const response = await handle(
    new Request(resource, {
      method: "POST",
      headers: {
        authorization,
        "host": new URL(resource).host,
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/list",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/list",
        params: {
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    }),
  );
  await response.body?.cancel();
  return response.status;
}

/**
 * Returns the HTTP status of a request with the given credentials after all tokens have expired.
 */
async function statusLater(setup: OidcSetup, authorization: string): Promise<number> {
  using _time = new FakeTime(Date.now() + 2 * TOKEN_SECONDS * 1000);
  return await statusFor(setup, authorization);
}
