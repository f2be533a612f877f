import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import { ISSUER, OAuthWorld, RESOURCE } from "../testdata/oauth.ts";
import { authorizedFetch } from "./authorized_fetch.ts";
import type { DiscoveryConfig } from "./config.ts";
import { type CredentialStore, memoryStore } from "./credential_store.ts";

const TOKEN = `POST ${ISSUER}/token`;

/** A response that arrives when the test lets it arrive. */
function gate(): {
  readonly asked: Promise<void>;
  readonly open: () => void;
  wait(): Promise<void>;
} {
  const asked = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    asked: asked.promise,
    open: opened.resolve,
    wait: () => {
      asked.resolve();
      return opened.promise;
    },
  };
}

/** An authorization server that accepts each code and each refresh token once. */
class RotatingWorld extends OAuthWorld {
  /** Grant types of the token requests, and whether they were rejected. */
  readonly requests: string[] = [];
  /** Called before the server responds to a token request with the given grant type. */
  readonly before: Record<string, () => Promise<void>> = {};
  current = "";
  #live: string[] = [];
  #count = 0;

  constructor() {
    super();
    this.accepts = (token) => token === this.current;
    this.answers[TOKEN] = async ({ form }) => {
      const grant = form.get("grant_type") ?? "";
      const used = form.get("refresh_token") ?? form.get("code") ?? "";
      const isLive = form.has("code") || this.#live.includes(used);
      this.requests.push(isLive ? grant : `${grant} rejected`);
      this.#live = [];
      if (!isLive) return Response.json({ error: "invalid_grant" }, { status: 400 });
      this.current = `access-${++this.#count}`;
      this.#live.push(`refresh-${this.#count}`);
      const answer = Response.json({
        access_token: this.current,
        refresh_token: `refresh-${this.#count}`,
        token_type: "Bearer",
        ...this.grant,
      });
      await this.before[grant]?.();
      return answer;
    };
    this.grant = {};
  }
}

function clientOf(
  world: OAuthWorld,
  config: Partial<DiscoveryConfig> = {},
): (signal?: AbortSignal) => Promise<string> {
  const fetch = authorizedFetch({ ...world.config, onError: () => {}, ...config }, {
    resource: RESOURCE,
    fetch: world.fetch,
  });
  return async (signal) => {
    const response = await fetch(RESOURCE, { method: "POST", ...(signal && { signal }) });
    return await response.text();
  };
}

const STORES: Readonly<Record<string, () => CredentialStore>> = {
  "a store with locks": memoryStore,
  "a store without locks": () => {
    const { load, save } = memoryStore();
    return { load, save };
  },
};

for (const [title, open] of Object.entries(STORES)) {
  for (const isOther of [false, true]) {
    const who = isOther ? "another client" : "the same client";
    Deno.test(`a refresh in ${title} is completed if its caller aborts, and ${who} uses the tokens`, async () => {
      const world = new RotatingWorld();
      const store = open();
      const call = clientOf(world, { store });
      await call();
      world.current = "expired";
      const { asked, open: answer, wait } = gate();
      world.before.refresh_token = wait;
      const stop = new AbortController();
      const aborted = assertRejects(() => call(stop.signal), Error, "stop");
      await asked;
      stop.abort(new Error("stop"));
      await aborted;
      const next = (isOther ? clientOf(world, { store }) : call)();
      answer();
      assertEquals(await next, "access-2");
      assertEquals(world.requests, ["authorization_code", "refresh_token"]);
      assertEquals(world.logins.length, 1);
    });
  }
}

Deno.test("a code is exchanged if the caller aborts after the login, and is not requested again", async () => {
  const world = new RotatingWorld();
  const call = clientOf(world);
  const { asked, open: answer, wait } = gate();
  world.before.authorization_code = wait;
  const stop = new AbortController();
  const aborted = assertRejects(() => call(stop.signal), Error, "stop");
  await asked;
  stop.abort(new Error("stop"));
  await aborted;
  const next = call();
  answer();
  assertEquals(await next, "access-1");
  assertEquals([world.requests, world.logins.length], [["authorization_code"], 1]);
});

Deno.test("a client whose caller aborted while its tokens were saved uses the tokens of others", async () => {
  const world = new RotatingWorld();
  const inner = memoryStore();
  const beforeSave: (() => Promise<void>)[] = [];
  const store: CredentialStore = {
    load: inner.load,
    save: async (key, value) => {
      for (const wait of beforeSave) await wait();
      await inner.save(key, value);
    },
  };
  const [call, other] = [clientOf(world, { store }), clientOf(world, { store })];
  await call();
  world.current = "expired";
  const { asked, open: finish, wait } = gate();
  beforeSave.push(wait);
  const stop = new AbortController();
  const aborted = assertRejects(() => call(stop.signal), Error, "stop");
  await asked;
  stop.abort(new Error("stop"));
  await aborted;
  finish();
  assertEquals(await other(), "access-2");
  world.current = "expired again";
  assertEquals(await other(), "access-3");
  assertEquals(await call(), "access-3");
  assertEquals(world.requests, ["authorization_code", "refresh_token", "refresh_token"]);
});

Deno.test("tokens that were refreshed for another call and have expired since are refreshed again", async () => {
  const world = new RotatingWorld();
  const call = clientOf(world);
  await call();
  world.current = "expired";
  const { asked, open: answer, wait } = gate();
  const rejected = new Response(null, {
    status: 401,
    headers: { "www-authenticate": world.challenge },
  });
  world.answers[`POST ${RESOURCE}`] = async () => {
    delete world.answers[`POST ${RESOURCE}`];
    await wait();
    return rejected;
  };
  const slow = call();
  await asked;
  assertEquals(await call(), "access-2");
  world.current = "expired again";
  answer();
  assertEquals(await slow, "access-3");
  assertEquals(world.requests, ["authorization_code", "refresh_token", "refresh_token"]);
});

Deno.test("no login is opened if the caller aborts before its refresh is rejected", async () => {
  const world = new OAuthWorld();
  const store = memoryStore();
  const call = clientOf(world, { store });
  await call();
  world.accepts = () => false;
  const { asked, open: answer, wait } = gate();
  world.answers[TOKEN] = async () => {
    await wait();
    return Response.json({ error: "invalid_grant" }, { status: 400 });
  };
  const stop = new AbortController();
  const aborted = assertRejects(() => call(stop.signal), Error, "stop");
  await asked;
  stop.abort(new Error("stop"));
  await aborted;
  answer();
  // The lock is free when the aborted renewal has ended.
  const key = `tokens ${RESOURCE}`;
  await (await store.lock?.(key, new AbortController().signal))?.[Symbol.asyncDispose]();
  assertEquals(world.logins.length, 1);
  assertEquals("refreshToken" in JSON.parse(await store.load(key) ?? "{}"), false);
});

/** Failures of a renewal before the tokens expire, keyed by title. */
const FAILURES: Readonly<Record<string, (world: OAuthWorld) => void>> = {
  "the authorization server is not available": (world) => {
    world.answers[TOKEN] = () => new Response("busy", { status: 503 });
  },
  "too many tokens are requested": (world) => {
    world.answers[TOKEN] = () => Response.json({ error: "slow_down" }, { status: 429 });
  },
  "the metadata is not available": (world) => {
    world.answers[`GET ${ISSUER}/.well-known/oauth-authorization-server`] = () =>
      new Response(null, { status: 503 });
  },
  "the user does not log in again": (world) => {
    world.answers[TOKEN] = () => Response.json({ error: "invalid_grant" }, { status: 400 });
  },
};

for (const [title, fail] of Object.entries(FAILURES)) {
  Deno.test(`tokens that expire soon are used once more if ${title}`, async () => {
    using time = new FakeTime();
    const world = new OAuthWorld();
    world.grant = { refresh_token: "refresh-1", expires_in: 60 };
    let isThere = true;
    const reports: string[] = [];
    const call = clientOf(world, {
      onError: (error) => void reports.push(String(error)),
      authorize: (url, context) =>
        isThere ? world.authorize(url, context) : Promise.reject(new Error("no user")),
    });
    assertEquals(await call(), "token-1");
    await time.tickAsync(40_000);
    isThere = false;
    fail(world);
    // The renewal is tried once. Later, the server decides whether the token is valid.
    for (let count = 0; count < 3; count++) assertEquals(await call(), "token-1");
    const failed = reports.length;
    assert(failed > 0, "the failure is reported");
    const before = world.sent.length;
    assertEquals(await call(), "token-1");
    assertEquals(world.sent.length, before + 1);
    world.accepts = () => false;
    const error = await assertRejects(() => call(), McpError);
    assertEquals(error.code, "auth_error");
  });
}
