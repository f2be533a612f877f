import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import { ISSUER, OAuthWorld, RESOURCE, type Sent } from "../testdata/oauth.ts";
import { authorizedFetch } from "./authorized_fetch.ts";
import type { DiscoveryConfig } from "./config.ts";
import { type CredentialStore, memoryStore } from "./credential_store.ts";

const KEY = `tokens ${RESOURCE}`;
const TOKEN = `POST ${ISSUER}/token`;

/**
 * An authorization server that accepts each refresh token once, and revokes all tokens if one is
 * used again.
 */
class RotatingWorld extends OAuthWorld {
  refreshes = 0;
  reused = 0;
  current: string | undefined;
  #live: string | undefined;
  #count = 0;

  constructor() {
    super();
    this.accepts = (token) => token === this.current;
    this.answers[TOKEN] = ({ form }) => this.#answer(form);
  }

  #answer(form: URLSearchParams): Response {
    if (form.get("grant_type") === "refresh_token") {
      this.refreshes++;
      if (form.get("refresh_token") !== this.#live) {
        this.reused++;
        this.#live = this.current = undefined;
        return Response.json({ error: "invalid_grant" }, { status: 400 });
      }
    }
    this.#count++;
    this.current = `access-${this.#count}`;
    this.#live = `refresh-${this.#count}`;
    return Response.json({
      access_token: this.current,
      refresh_token: this.#live,
      token_type: "Bearer",
    });
  }
}

function clientOf(
  world: OAuthWorld,
  store: CredentialStore,
  config: Partial<DiscoveryConfig> = {},
): (init?: RequestInit) => Promise<string> {
  const fetch = authorizedFetch({ ...world.config, onError: () => {}, store, ...config }, {
    resource: RESOURCE,
    fetch: world.fetch,
  });
  return async (init = {}) => await (await fetch(RESOURCE, { method: "POST", ...init })).text();
}

/** A store without locks. */
function plainStore(): CredentialStore {
  const { load, save } = memoryStore();
  return { load, save };
}

/** The same values behind several store objects, as in several processes. */
function storesOf(count: number): readonly CredentialStore[] {
  const shared = memoryStore();
  return Array.from({ length: count }, () => ({ ...shared }));
}

const SHARED: Readonly<Record<string, () => readonly CredentialStore[]>> = {
  "a store without locks": () => Array(3).fill(plainStore()),
  "an in-memory store": () => Array(3).fill(memoryStore()),
  "a store with locks that several processes share": () => storesOf(3),
};

for (const [title, open] of Object.entries(SHARED)) {
  Deno.test(`clients that share ${title} log in once and never reuse a refresh token`, async () => {
    const world = new RotatingWorld();
    const calls = open().map((store) => clientOf(world, store));
    await Promise.all(calls.map((call) => call()));
    for (let round = 0; round < 5; round++) {
      world.current = "expired";
      const order = round % 2 === 0 ? calls : calls.toReversed();
      if (round < 3) { for (const call of order) assertEquals(await call(), world.current); }
      else await Promise.all(order.map((call) => call()));
    }
    assertEquals([world.logins.length, world.reused, world.refreshes], [1, 0, 5]);
  });
}

Deno.test("a client uses tokens that another client has saved, without a request to the authorization server", async () => {
  const world = new RotatingWorld();
  const store = memoryStore();
  const [one, two] = [clientOf(world, store), clientOf(world, store)];
  await one();
  await two();
  world.current = "expired";
  await one();
  const before = world.sent.length;
  assertEquals(await two(), world.current);
  assertEquals(world.sent.slice(before).map(({ url }) => url), [RESOURCE, RESOURCE]);
});

Deno.test("a client uses the saved tokens of another client only if they have the required scopes", async () => {
  const world = new OAuthWorld();
  const store = memoryStore();
  const challenge = world.challenge;
  await clientOf(world, store, { scope: "read" })();
  const other = clientOf(world, store);
  world.challenge = `${challenge}, error="insufficient_scope", scope="write"`;
  world.accepts = (token) => token === "token-2";
  assertEquals(await other(), "token-2");
  assertEquals(world.logins.at(-1)?.searchParams.get("scope"), "read write");
});

Deno.test("saved tokens that the server rejects are refreshed", async () => {
  const world = new RotatingWorld();
  const store = memoryStore();
  const [one, two] = [clientOf(world, store), clientOf(world, store)];
  await one();
  await two();
  world.current = "expired";
  await one();
  world.current = "expired again";
  assertEquals(await two(), "access-3");
  assertEquals([world.logins.length, world.reused], [1, 0]);
});

Deno.test("tokens that could not be saved are not replaced by older tokens in the store", async () => {
  const world = new RotatingWorld();
  const inner = memoryStore();
  let isFull = false;
  const store: CredentialStore = {
    load: inner.load,
    save: (key, value) => {
      if (isFull) throw new Error("disk full");
      return inner.save(key, value);
    },
  };
  const call = clientOf(world, store);
  await call();
  isFull = true;
  world.current = "expired";
  await assertRejects(() => call(), McpError, "writing to the credential store failed");
  isFull = false;
  world.current = "expired again";
  assertEquals(await call(), "access-3");
  assertEquals([world.logins.length, world.reused], [1, 0]);
});

Deno.test("a process waits for the tokens of another process if the store has no locks", async () => {
  using time = new FakeTime();
  const world = new RotatingWorld();
  const store = plainStore();
  const call = clientOf(world, store);
  await call();
  // Another process has used the refresh token, and saves its tokens 1 second later.
  world.answers[TOKEN] = () => Response.json({ error: "invalid_grant" }, { status: 400 });
  world.current = "expired";
  const waiting = call();
  for (let step = 0; step < 10; step++) {
    await time.tickAsync(250);
    if (step !== 3) continue;
    const accessToken = "from-another-process";
    world.current = accessToken;
    store.save(KEY, JSON.stringify({ issuer: ISSUER, accessToken, type: "bearer" }));
  }
  assertEquals(await waiting, "from-another-process");
  assertEquals(world.logins.length, 1);
});

/** Requests of a client whose refresh fails, and what the store then contains. */
interface Outcome {
  readonly error?: string;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
  readonly logins: number;
  readonly refreshToken: string | undefined;
  readonly registrations: number;
  readonly reports: number;
}

const KEPT = { refreshToken: "refresh-1", logins: 1, registrations: 1, reports: 0 };
const GIVEN_UP = { refreshToken: "refresh-2", logins: 2, registrations: 1, reports: 1 };

function oauthError(error: string, status = 400): () => Response {
  return () => Response.json({ error, error_description: "because" }, { status });
}

/** Test cases: the response to a refresh, and the outcome. */
const REFRESHES: Readonly<Record<string, readonly [(sent: Sent) => Response, Outcome]>> = {
  "400 with invalid_grant": [oauthError("invalid_grant"), GIVEN_UP],
  "400 with invalid_token": [oauthError("invalid_token"), GIVEN_UP],
  "400 with an unknown error": [oauthError("token_gone"), GIVEN_UP],
  "400 with unauthorized_client": [oauthError("unauthorized_client"), GIVEN_UP],
  "401 with invalid_client": [oauthError("invalid_client", 401), { ...GIVEN_UP, registrations: 2 }],
  "200 with an error": [oauthError("bad_refresh_token", 200), GIVEN_UP],
  "201 with an error": [oauthError("bad_refresh_token", 201), GIVEN_UP],
  "403 with another JSON object": [
    () => Response.json({ message: "token expired" }, { status: 403 }),
    GIVEN_UP,
  ],
  "404 with a web page": [() => new Response("<html>", { status: 404 }), GIVEN_UP],
  "400 without a body": [() => new Response(null, { status: 400 }), GIVEN_UP],
  "429 with an error": [
    () => Response.json({ error: "slow_down" }, { status: 429, headers: { "retry-after": "7" } }),
    { ...KEPT, error: '"slow_down"', httpStatus: 429, retryAfterMs: 7000 },
  ],
  "429 without a body": [
    () => new Response(null, { status: 429 }),
    { ...KEPT, error: "HTTP 429", httpStatus: 429 },
  ],
  "408 without a body": [
    () => new Response(null, { status: 408 }),
    { ...KEPT, error: "HTTP 408", httpStatus: 408 },
  ],
  "400 with temporarily_unavailable": [
    oauthError("temporarily_unavailable"),
    { ...KEPT, error: '"temporarily_unavailable" ("because")', httpStatus: 400 },
  ],
  "200 with slow_down": [
    oauthError("slow_down", 200),
    { ...KEPT, error: '"slow_down" ("because")', httpStatus: 200 },
  ],
  "400 with server_error": [oauthError("server_error"), GIVEN_UP],
  "503 with a text": [
    () => new Response("overloaded", { status: 503, headers: { "retry-after": "3" } }),
    { ...KEPT, error: 'HTTP 503: "overloaded"', httpStatus: 503, retryAfterMs: 3000 },
  ],
  "500 with an OAuth error": [
    oauthError("invalid_grant", 500),
    { ...KEPT, error: '"invalid_grant" ("because")', httpStatus: 500 },
  ],
  "a redirect": [
    () => new Response(null, { status: 307, headers: { location: `${ISSUER}/other` } }),
    { ...KEPT, error: "redirect", httpStatus: 307 },
  ],
  "a failed connection": [
    () => {
      throw new TypeError("connection refused");
    },
    { ...KEPT, error: 'request to "https://login.example" failed' },
  ],
  "200 without tokens": [
    () => Response.json({}),
    { ...KEPT, error: "invalid token response", httpStatus: 200 },
  ],
  "200 with a web page": [
    () => new Response("<html>"),
    { ...KEPT, error: "invalid token response", httpStatus: 200 },
  ],
  "200 with an error that is an object": [
    () => Response.json({ error: { code: 190, message: "expired" } }),
    GIVEN_UP,
  ],
  "200 with an error and a token": [
    () => Response.json({ access_token: "a", token_type: "Bearer", error: "invalid_grant" }),
    GIVEN_UP,
  ],
  "202 with an error that is true": [
    () => Response.json({ error: true }, { status: 202 }),
    GIVEN_UP,
  ],
  "410 with a text": [() => new Response("gone", { status: 410 }), GIVEN_UP],
  "401 with a challenge": [
    () => new Response(null, { status: 401, headers: { "www-authenticate": "Basic" } }),
    GIVEN_UP,
  ],
  "400 with an error that is an object": [
    () => Response.json({ error: { status: "INVALID_ARGUMENT" } }, { status: 400 }),
    GIVEN_UP,
  ],
  "504 with a web page": [
    () => new Response("<html>", { status: 504 }),
    { ...KEPT, error: 'HTTP 504: "<html>"', httpStatus: 504 },
  ],
  "429 with a date": [
    () =>
      new Response(null, {
        status: 429,
        headers: { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" },
      }),
    { ...KEPT, error: "HTTP 429", httpStatus: 429, retryAfterMs: 0 },
  ],
};

for (const [title, [answer, expected]] of Object.entries(REFRESHES)) {
  Deno.test(`a client whose refresh receives ${title} keeps or discards the refresh token`, async () => {
    const world = new OAuthWorld();
    const store = memoryStore();
    const reports: unknown[] = [];
    const call = clientOf(world, store, { onError: (error) => void reports.push(error) });
    await call();
    world.accepts = (token) => token !== "token-1";
    world.grant = { refresh_token: "refresh-2" };
    const login = (): Response =>
      Response.json({ access_token: "token-2", token_type: "Bearer", refresh_token: "refresh-2" });
    world.answers[TOKEN] = (sent) =>
      sent.form.get("grant_type") === "refresh_token" ? answer(sent) : login();
    const outcome = await call().then(() => undefined, (error: unknown) => error);
    const { error, httpStatus, retryAfterMs } = expected;
    if (error === undefined) assertEquals(outcome, undefined);
    else {
      assert(outcome instanceof McpError && outcome.is("auth_error"), String(outcome));
      assert(outcome.message.includes(error), outcome.message);
      assertEquals([outcome.httpStatus, outcome.details.retryAfterMs], [httpStatus, retryAfterMs]);
    }
    const { refreshToken } = JSON.parse(await store.load(KEY) ?? "{}");
    assertEquals(
      {
        refreshToken,
        logins: world.logins.length,
        registrations: world.to(`${ISSUER}/register`).length,
        reports: reports.length,
      },
      {
        refreshToken: expected.refreshToken,
        logins: expected.logins,
        registrations: expected.registrations,
        reports: expected.reports,
      },
    );
  });
}

Deno.test("a rejected refresh token is deleted from the store even if the user cannot log in", async () => {
  const world = new OAuthWorld();
  const store = memoryStore();
  await clientOf(world, store)();
  world.accepts = () => false;
  world.answers[TOKEN] = oauthError("invalid_grant");
  const fixed = { ...world.config, store, onError: () => {} };
  const { authorize: _, ...headless } = fixed;
  const fetch = authorizedFetch(headless, { resource: RESOURCE, fetch: world.fetch });
  const call = () => fetch(RESOURCE, { method: "POST" });
  const { httpStatus } = await assertRejects(
    call,
    McpError,
    'user login required, because "https://login.example" rejected the token request: ' +
      '"invalid_grant" ("because"); set the "authorize" option',
  );
  assertEquals(httpStatus, 400);
  assertEquals("refreshToken" in JSON.parse(await store.load(KEY) ?? "{}"), false);
  const before = world.to(`${ISSUER}/token`).length;
  await assertRejects(call, McpError, 'user login required; set the "authorize" option');
  assertEquals(world.to(`${ISSUER}/token`).length, before);
});

Deno.test("tokens that are bound to another DPoP key are ignored", async () => {
  const keyPair = () =>
    crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  const world = new OAuthWorld();
  world.grant = { token_type: "DPoP", refresh_token: "refresh-1" };
  const store = memoryStore();
  const [one, two] = [await keyPair(), await keyPair()];
  await clientOf(world, store, { dpop: one })();
  await clientOf(world, store, { dpop: one })();
  assertEquals(world.logins.length, 1);
  await clientOf(world, store, { dpop: two })();
  await clientOf(world, store, { dpop: true })();
  assertEquals(world.logins.length, 3);
  world.grant = {};
  // A client without DPoP cannot use tokens that are bound to a key.
  await clientOf(world, store)();
  assertEquals(world.logins.length, 4);
  assertEquals(
    world.to(`${ISSUER}/token`).map(({ form }) => form.get("grant_type")).includes(
      "refresh_token",
    ),
    false,
  );
});

Deno.test("tokens of a client with another identifier are neither used nor refreshed", async () => {
  const world = new RotatingWorld();
  const store = memoryStore();
  const one = clientOf(world, store, { clientId: "one" });
  const two = clientOf(world, store, { clientId: "two" });
  await one();
  assertEquals(await two(), "access-2");
  assertEquals(world.logins.map(({ searchParams }) => searchParams.get("client_id")), [
    "one",
    "two",
  ]);
  // The tokens of the first client are known to it, and were issued to it.
  world.current = "expired";
  await two();
  const sent = world.to(`${ISSUER}/token`).map(({ form }) => [
    form.get("client_id"),
    form.get("refresh_token"),
  ]);
  assertEquals(sent.at(-1), ["two", "refresh-2"]);
  assertEquals(world.reused, 0);
});
