/**
 * Our client and our server with an authorization server that others wrote.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
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
import { Person } from "./person.ts";
import { type Company, openCompany, TOKEN_SECONDS } from "./provider.ts";

const NAME = "oidc-provider 9.13.3";
const REDIRECT_URI = "http://127.0.0.1:8910/callback";

/** A person's client in a company. */
interface Member {
  readonly company: Company;
  readonly person: Person;
  readonly store: CredentialStore;
  readonly config: DiscoveryConfig;
}

/** The authorization server, over each kind of tokens. */
export const AUTHORIZATION: readonly Subject[] = [
  {
    name: `${NAME} with tokens that are signed`,
    run: (check) => inCompany("jwt", check, checkSigned),
  },
  { name: `${NAME} with opaque tokens`, run: (check) => inCompany("opaque", check, checkOpaque) },
];

async function inCompany(
  format: "jwt" | "opaque",
  check: Check,
  body: (check: Check, company: Company) => Promise<void>,
): Promise<void> {
  const company = await openCompany(format);
  try {
    await body(check, company);
  } finally {
    await company.close();
  }
}

async function checkSigned(check: Check, company: Company): Promise<void> {
  await check("a person logs in to a client that registers by itself", async () => {
    const { config, person } = join(company, "ada");
    assertEquals(await whoami(company, config), { subject: "ada", scopes: ["use"] });
    assertEquals(person.logins, 1);
  });
  await check("a token that runs out is refreshed, without the person", async () => {
    const { config, person } = join(company, "bob", { scope: "use offline_access" });
    company.setSeconds(20);
    const before = company.grants.get("refresh_token") ?? 0;
    await withClient(company, config, async (client) => {
      await client.callTool("whoami", {});
      await client.callTool("whoami", {});
    });
    company.setSeconds(TOKEN_SECONDS);
    assert((company.grants.get("refresh_token") ?? 0) >= before + 2);
    assertEquals(person.logins, 1);
  });
  await check(
    "a tool that takes more leads to another login, for which the person is known",
    async () => {
      const { config, person } = join(company, "ivy");
      const scopes = await withClient(company, config, async (client) => {
        assertEquals((await client.callTool("write", {})).isError, undefined);
        const { structuredContent } = await client.callTool("whoami", {});
        return structuredContent;
      });
      assertEquals(scopes, { subject: "ivy", scopes: ["use", "write"] });
      assertEquals(person.logins, 1);
    },
  );
  await check("a store outlives the client", async () => {
    const { config, person } = join(company, "cyd");
    await whoami(company, config);
    await whoami(company, config);
    assertEquals(person.logins, 1);
  });
  await check("a refresh token that is revoked means a new login", async () => {
    const { config, store } = join(company, "dan", { scope: "use offline_access" });
    company.setSeconds(20);
    await withClient(company, config, async (client) => {
      company.setSeconds(TOKEN_SECONDS);
      await revoke(company, store, "refreshToken");
      const before = company.grants.get("authorization_code") ?? 0;
      const { structuredContent } = await client.callTool("whoami", {});
      assertEquals(structuredContent, { subject: "dan", scopes: ["use"] });
      assertEquals(company.grants.get("authorization_code"), before + 1);
    });
  });
  await check("a token can be bound to a key", async () => {
    const { config } = join(company, "eve", { dpop: true });
    assertEquals((await whoami(company, config)).subject, "eve");
  });
  await check("a token that is bound to a key is of no use without it", async () => {
    const { config, store } = join(company, "fay", { dpop: true });
    await whoami(company, config);
    const { accessToken } = await kept(company, store);
    assertEquals(await statusFor(company, `DPoP ${accessToken}`), 401);
    assertEquals(await statusFor(company, `Bearer ${accessToken}`), 401);
  });
  await check("a program gets in in its own name", async () => {
    const config: DiscoveryConfig = {
      discover: true,
      clientId: "robot",
      clientSecret: "a secret of the robot",
      scope: "use",
      grant: { type: "client_credentials" },
    };
    assertEquals(await whoami(company, config), { subject: "robot", scopes: ["use"] });
  });
  await check("a secret that is wrong is not shown in the failure", async () => {
    const config: DiscoveryConfig = {
      discover: true,
      clientId: "robot",
      clientSecret: "a wrong secret",
      grant: { type: "client_credentials" },
    };
    const error = await assertRejects(() => whoami(company, config), McpError, "invalid_client");
    assert(!Deno.inspect(error, { depth: 9 }).includes("a wrong secret"));
  });
  await check("a token that has run out, was changed or is for others is refused", async () => {
    const { config, store } = join(company, "gil");
    await whoami(company, config);
    const { accessToken } = await kept(company, store);
    assertEquals(await statusFor(company, `Bearer ${accessToken}`), 200);
    assertEquals(await statusLater(company, `Bearer ${accessToken}`), 401);
    const [header, claims = "", signature] = accessToken.split(".");
    const other = btoa(atob(claims).replace("gil", "eve")).replaceAll("=", "");
    assertEquals(await statusFor(company, `Bearer ${header}.${other}.${signature}`), 401);
    const elsewhere = await openCompany("jwt");
    const stranger = join(elsewhere, "gil");
    await whoami(elsewhere, stranger.config);
    const { accessToken: theirs } = await kept(elsewhere, stranger.store);
    assertEquals(await statusFor(company, `Bearer ${theirs}`), 401);
    await elsewhere.close();
  });
  await checkBrowser(check, company);
}

async function checkOpaque(check: Check, company: Company): Promise<void> {
  await check("a person logs in to a client that registers by itself", async () => {
    const { config } = join(company, "ada");
    assertEquals(await whoami(company, config), { subject: "ada", scopes: ["use"] });
  });
  await check(
    "a token that is revoked means a new login, for which the person is known",
    async () => {
      const { config, person, store } = join(company, "bob", { scope: "use offline_access" });
      await whoami(company, config);
      // This server takes back what was granted together.
      await revoke(company, store, "accessToken");
      const before = company.grants.get("authorization_code") ?? 0;
      assertEquals((await whoami(company, config)).subject, "bob");
      assertEquals(company.grants.get("authorization_code"), before + 1);
      assertEquals(person.logins, 1);
    },
  );
  await check("a token that nobody gave is refused", async () => {
    assertEquals(await statusFor(company, "Bearer guess"), 401);
  });
}

/** The whole way, with a real browser, where there is one. */
async function checkBrowser(check: Check, company: Company): Promise<void> {
  const browser = await openBrowser();
  if (browser === undefined) {
    return console.log(`      ${NAME}: there is no Chromium to log in with`);
  }
  try {
    await check("a person logs in with a browser, which comes back to the loopback", async () => {
      const { redirectUri, authorize, close } = await openLoopback({
        open: (url) => browser.logIn(url, "hal"),
      });
      const { config } = join(company, "nobody", { redirectUri, authorize });
      try {
        assertEquals((await whoami(company, config)).subject, "hal");
      } finally {
        await close();
      }
    }, 60_000);
  } finally {
    await browser.close();
  }
}

function join(company: Company, name: string, more: Partial<DiscoveryConfig> = {}): Member {
  const person = new Person(name);
  const store = memoryStore();
  const { authorize } = person;
  const config: DiscoveryConfig = {
    discover: true,
    redirectUri: REDIRECT_URI,
    authorize,
    store,
    ...more,
  };
  return { company, person, store, config };
}

async function withClient<T>(
  { resource }: Company,
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

async function whoami(company: Company, auth: DiscoveryConfig): Promise<Record<string, unknown>> {
  const { structuredContent } = await withClient(
    company,
    auth,
    (client) => client.callTool("whoami", {}),
  );
  return { ...structuredContent as object };
}

interface Kept {
  readonly accessToken: string;
  readonly refreshToken?: string;
}

/** What a store keeps of the tokens. */
async function kept({ resource }: Company, store: CredentialStore): Promise<Kept> {
  return JSON.parse(await store.load(`tokens ${resource}`) ?? "");
}

/** Revokes one of the tokens, as the client could. */
async function revoke(
  company: Company,
  store: CredentialStore,
  which: "accessToken" | "refreshToken",
): Promise<void> {
  const { client_id } = JSON.parse(await store.load(`client ${company.issuer}`) ?? "");
  const { [which]: token = "" } = await kept(company, store);
  const body = new URLSearchParams({ client_id, token });
  const response = await fetch(`${company.issuer}/token/revocation`, { method: "POST", body });
  assertEquals(response.status, 200);
  await response.body?.cancel();
}

/** What the server answers to these credentials. */
async function statusFor({ enter, resource }: Company, authorization: string): Promise<number> {
  const response = await enter(
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

/** The same, when all tokens of now have run out. */
async function statusLater(company: Company, authorization: string): Promise<number> {
  const { now } = Date;
  Date.now = () => now() + 2 * TOKEN_SECONDS * 1000;
  try {
    return await statusFor(company, authorization);
  } finally {
    Date.now = now;
  }
}
