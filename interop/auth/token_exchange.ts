/**
 * Checks for a gateway that acts on behalf of its callers: each caller's token is exchanged at a
 * third-party authorization server, and never sent to the server behind the gateway.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { memoryStore } from "@parley/mcp/auth";
import { type InputHandlers, McpClient, McpError } from "@parley/mcp/client";
import { decodeJwt } from "jose";
import type { Check, Subject } from "../check.ts";
import {
  CONSENT_URL,
  type ExchangeSetup,
  startExchangeSetup,
  TOKEN_SECONDS,
} from "./exchange_setup.ts";
import { REDIRECT_URI } from "./login_process.ts";
import { ScriptedUser } from "./scripted_user.ts";

/** Lifetime of tokens that are exchanged for each request, in seconds. */
const SHORT_SECONDS = 20;

/** A user with a connection to the gateway. */
interface User extends AsyncDisposable {
  readonly client: McpClient;
  /** The access token for the gateway. */
  readonly token: string;
}

/** Checks for token exchange through our gateway. */
export const TOKEN_EXCHANGE: Subject = {
  name: "oidc-provider 9.13.3 with token exchange through our gateway",
  run: async (check) => {
    const setup = await startExchangeSetup();
    try {
      for (const protocol of ["modern", "2025-11-25"] as const) {
        await checkExchange(check, setup, protocol);
      }
    } finally {
      await setup.close();
    }
  },
};

async function checkExchange(
  check: Check,
  setup: ExchangeSetup,
  protocol: "modern" | "2025-11-25",
): Promise<void> {
  const connect = (name: string, handlers: InputHandlers = {}): Promise<User> =>
    openUser(setup, `${name}-${protocol}`, { protocol, handlers });
  await check(`two users have two tokens and two clients, ${protocol}`, async () => {
    await using ada = await connect("ada");
    await using bob = await connect("bob");
    const before = { ...countsOf(setup) };
    assertEquals(await whoami(ada), `ada-${protocol}`);
    assertEquals(await whoami(bob), `bob-${protocol}`);
    const { exchanges, clients, requests } = countsOf(setup);
    assertEquals([exchanges - before.exchanges, clients - before.clients], [2, 2]);
    const issued = setup.exchanged.slice(before.exchanges);
    assertEquals(issued.map(({ subject }) => subject), [`ada-${protocol}`, `bob-${protocol}`]);
    assertEquals(issued.map(({ token }) => decodeJwt(token).aud), [
      setup.upstreamUrl,
      setup.upstreamUrl,
    ]);
    const presented = setup.upstreamRequests.slice(before.requests).map(({ token }) => token);
    assertEquals(new Set(presented), new Set(issued.map(({ token }) => token)));
    // Further calls use the tokens of the first calls.
    assertEquals(await whoami(ada), `ada-${protocol}`);
    assertEquals(await whoami(bob), `bob-${protocol}`);
    assertEquals(countsOf(setup).exchanges, exchanges);
    assert(countsOf(setup).requests > requests);
    await assertTokensStay(setup, [ada, bob]);
  });
  await check(`the server behind the gateway rejects the user's token, ${protocol}`, async () => {
    await using ada = await connect("ada");
    const headers = { authorization: `Bearer ${ada.token}` };
    const { status, body } = await fetch(setup.upstreamUrl, { method: "POST", headers });
    await body?.cancel();
    assertEquals(status, 401);
    // The check itself has sent the token to the server, and the record shows it.
    const [sent] = setup.upstreamRequests.splice(-1);
    assert(sent?.text.includes(ada.token));
  });
  await check(`a token that expires is exchanged again, ${protocol}`, async () => {
    await using eve = await connect("eve");
    setup.setSeconds(SHORT_SECONDS);
    await whoami(eve);
    const { exchanges, clients } = countsOf(setup);
    assertEquals(await whoami(eve), `eve-${protocol}`);
    assert(countsOf(setup).exchanges > exchanges);
    assertEquals(countsOf(setup).clients, clients);
    setup.setSeconds(TOKEN_SECONDS);
    await assertTokensStay(setup, [eve]);
  });
  await checkFailures(check, setup, { protocol, connect });
}

async function checkFailures(
  check: Check,
  setup: ExchangeSetup,
  { protocol, connect }: {
    readonly protocol: string;
    readonly connect: (name: string, handlers?: InputHandlers) => Promise<User>;
  },
): Promise<void> {
  await check(`a rejected exchange has one result and a reason, ${protocol}`, async () => {
    await using fay = await connect("fay");
    setup.refuse("invalid_target");
    setup.errors.splice(0);
    const error = await assertRejects(() => whoami(fay), McpError);
    setup.refuse(undefined);
    assertEquals([error.rpcCode, reasonOf(error)], [
      -32603,
      'The server "calendar" did not authorize the gateway',
    ]);
    assertEquals(setup.errors.length, 1);
    assert(setup.errors[0]?.includes('"invalid_target"'), setup.errors[0]);
    await assertTokensStay(setup, [fay]);
  });
  await check(`a client that cannot open a page receives its URL, ${protocol}`, async () => {
    await using gil = await connect("gil");
    setup.refuse("interaction_required");
    const error = await assertRejects(() => whoami(gil), McpError);
    setup.refuse(undefined);
    const expected =
      `The server "calendar" can be used after you log in or consent at ${CONSENT_URL}`;
    assertEquals(reasonOf(error), expected);
    assertEquals(await whoami(gil), `gil-${protocol}`);
    await assertTokensStay(setup, [gil]);
  });
  await check(`a user consents on a page that the client opens, ${protocol}`, async () => {
    const opened: string[] = [];
    await using hal = await connect("hal", {
      elicitUrl: ({ url }) => {
        opened.push(url);
        setup.refuse(undefined);
        return Promise.resolve({ action: "accept" });
      },
    });
    setup.refuse("consent_required");
    assertEquals(await whoami(hal), `hal-${protocol}`);
    assertEquals(opened, [CONSENT_URL]);
    await assertTokensStay(setup, [hal]);
  });
}

/** Checks that no request but those to the gateway and to the token endpoint has a user's token. */
async function assertTokensStay(setup: ExchangeSetup, users: readonly User[]): Promise<void> {
  const texts = [
    ...setup.upstreamRequests.map(({ text }) => text),
    ...setup.otherRequests,
    ...setup.errors,
    ...await Promise.all(users.map(({ client }) => client.listTools().then(JSON.stringify))),
  ];
  assert(setup.upstreamRequests.length > 0 && setup.otherRequests.length > 0);
  for (const { token } of users) {
    // The signature of the token, because a program may decode the other parts.
    const [, , signature = ""] = token.split(".");
    assert(signature.length > 40);
    assertEquals(texts.filter((text) => text.includes(signature)), []);
  }
}

function countsOf({ exchanged, clients, upstreamRequests }: ExchangeSetup): {
  readonly exchanges: number;
  readonly clients: number;
  readonly requests: number;
} {
  return {
    exchanges: exchanged.length,
    clients: clients.length,
    requests: upstreamRequests.length,
  };
}

async function openUser(
  { gatewayUrl }: ExchangeSetup,
  name: string,
  { protocol, handlers }: {
    readonly protocol: "modern" | "2025-11-25";
    readonly handlers: InputHandlers;
  },
): Promise<User> {
  const store = memoryStore();
  const client = new McpClient({
    transport: { type: "http", url: gatewayUrl },
    auth: {
      discover: true,
      redirectUri: REDIRECT_URI,
      authorize: new ScriptedUser(name).authorize,
      store,
    },
    protocol,
    handlers,
  });
  await client.connect();
  const { accessToken } = JSON.parse(await store.load(`tokens ${gatewayUrl}`) ?? "{}");
  return { client, token: String(accessToken), [Symbol.asyncDispose]: () => client.disconnect() };
}

async function whoami({ client }: User): Promise<unknown> {
  const { structuredContent } = await client.callTool("calendar_whoami", {});
  return Object(structuredContent).subject;
}

function reasonOf(error: McpError): unknown {
  return error.is("protocol_error") ? error.details.reason : error.code;
}
