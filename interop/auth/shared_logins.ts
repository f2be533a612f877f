/**
 * Checks for clients and processes that share a credential file, with an authorization server that
 * rotates refresh tokens and revokes all tokens of a login if a refresh token is used again.
 *
 * @module
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { assert, assertEquals } from "@std/assert";
import { fileStore } from "@parley/mcp/auth/file";
import type { CredentialStore } from "@parley/mcp/auth";
import { McpClient } from "@parley/mcp/client";
import type { Check } from "../check.ts";
import { call, type CallResult, REDIRECT_URI } from "./login_process.ts";
import { type OidcSetup, TOKEN_SECONDS } from "./oidc_provider.ts";
import { ScriptedUser } from "./scripted_user.ts";

/** Lifetime of tokens that clients refresh before each call, in seconds. */
const SHORT_SECONDS = 20;

/** Number of calls of each client. */
const ROUNDS = 4;

const TIMEOUT_MS = 30_000;

/** A client of this process or of another process. */
interface Caller extends AsyncDisposable {
  readonly call: () => Promise<CallResult>;
}

/** Runs the checks. */
export async function checkSharedLogins(check: Check, setup: OidcSetup): Promise<void> {
  const folder = await Deno.makeTempDir();
  const file = `${folder}/credentials.json`;
  const store = fileStore(file);
  const callers = [
    openClient(setup, store),
    openClient(setup, store),
    openProcess(setup, file),
    openProcess(setup, file),
  ];
  setup.setSeconds(SHORT_SECONDS);
  try {
    await check("two clients and two processes share one login and rotate its tokens", async () => {
      const before = countsOf(setup);
      for (let round = 0; round < ROUNDS; round++) {
        assertEquals(await callAll(callers), []);
      }
      const { logins, refreshes, revocations } = countsOf(setup);
      assertEquals(logins - before.logins, 1);
      assertEquals(revocations - before.revocations, 0);
      assert(refreshes - before.refreshes >= ROUNDS - 1, `${refreshes} refreshes`);
    }, TIMEOUT_MS);
    await check("a revoked refresh token leads to one login of all, with a reason", async () => {
      await assertOneLogin(setup, callers, () => revoke(setup, store));
    }, TIMEOUT_MS);
    await check("a stolen refresh token leads to one login of all, with a reason", async () => {
      const before = countsOf(setup);
      await assertOneLogin(setup, callers, () => steal(setup, store));
      // The authorization server has detected that the token was used twice.
      assert(countsOf(setup).revocations > before.revocations);
    }, TIMEOUT_MS);
  } finally {
    setup.setSeconds(TOKEN_SECONDS);
    for (const caller of callers) await caller[Symbol.asyncDispose]();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Ends the current login, and checks that all callers together log in once. */
async function assertOneLogin(
  setup: OidcSetup,
  callers: readonly Caller[],
  end: () => Promise<void>,
): Promise<void> {
  await end();
  const before = countsOf(setup);
  const reports = await callAll(callers);
  assertEquals(reports.length, 1, reports.join("\n"));
  assert(reports[0]?.includes("the refresh token is discarded"), reports[0]);
  assert(reports[0]?.includes('rejected the token request: "invalid_grant"'), reports[0]);
  assertEquals(countsOf(setup).logins - before.logins, 1);
  assertEquals(await callAll(callers), []);
  assertEquals(countsOf(setup).logins - before.logins, 1);
}

/** Lets all callers call at the same time. Returns the reported errors. */
async function callAll(callers: readonly Caller[]): Promise<readonly string[]> {
  const results = await Promise.all(callers.map(({ call }) => call()));
  assertEquals(results.map(({ subject }) => subject), callers.map(() => "ada"));
  return results.flatMap(({ reports }) => reports);
}

function openClient({ resource }: OidcSetup, store: CredentialStore): Caller {
  const reports: string[] = [];
  const client = new McpClient({
    transport: { type: "http", url: resource },
    auth: {
      discover: true,
      redirectUri: REDIRECT_URI,
      authorize: new ScriptedUser("ada").authorize,
      scope: "use offline_access",
      store,
      onError: (error) => void reports.push(String(error)),
    },
  });
  return {
    call: async () => ({ subject: await call(client), reports: reports.splice(0) }),
    [Symbol.asyncDispose]: () => client.disconnect(),
  };
}

function openProcess({ resource }: OidcSetup, file: string): Caller {
  const config = new URL("../deno.json", import.meta.url).pathname;
  const program = new URL("./login_process.ts", import.meta.url).pathname;
  const options = ["-A", "--quiet", "--no-check", "--frozen", "--config", config];
  const args = ["run", ...options, program, resource, file, "ada"];
  const child = spawn("deno", args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    call: async () => {
      child.stdin.write("call\n");
      const { value } = await lines.next();
      return JSON.parse(value ?? '{"subject":"the process has exited","reports":[]}');
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

interface Counts {
  readonly logins: number;
  readonly refreshes: number;
  readonly revocations: number;
}

function countsOf({ grants, revocations }: OidcSetup): Counts {
  return {
    logins: grants.get("authorization_code") ?? 0,
    refreshes: grants.get("refresh_token") ?? 0,
    revocations: revocations(),
  };
}

/** Revokes the refresh token in the store (RFC 7009). */
async function revoke(setup: OidcSetup, store: CredentialStore): Promise<void> {
  const { client_id, token } = await loadCredentials(setup, store);
  const body = new URLSearchParams({ client_id, token });
  const response = await fetch(`${setup.issuer}/token/revocation`, { method: "POST", body });
  assertEquals(response.status, 200);
  await response.body?.cancel();
}

/** Uses the refresh token in the store, as a thief would. */
async function steal(setup: OidcSetup, store: CredentialStore): Promise<void> {
  const { client_id, token: refresh_token } = await loadCredentials(setup, store);
  const body = new URLSearchParams({ grant_type: "refresh_token", client_id, refresh_token });
  const response = await fetch(`${setup.issuer}/token`, { method: "POST", body });
  assertEquals(response.status, 200);
  await response.body?.cancel();
}

async function loadCredentials(
  { issuer, resource }: OidcSetup,
  store: CredentialStore,
): Promise<{ readonly client_id: string; readonly token: string }> {
  const { client_id } = JSON.parse(await store.load(`client ${issuer}`) ?? "");
  const { refreshToken: token } = JSON.parse(await store.load(`tokens ${resource}`) ?? "");
  assert(typeof client_id === "string" && typeof token === "string");
  return { client_id, token };
}
