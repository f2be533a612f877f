import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ISSUER, OAuthWorld, RESOURCE } from "../testdata/oauth.ts";
import { authorizedFetch } from "./authorized_fetch.ts";
import { type CredentialStore, memoryStore } from "./credential_store.ts";

const CLIENTS = 3;

/**
 * A round of calls: whether the access token has expired before, the response to the first refresh,
 * and the calls: the number of the client, and whether the caller aborts.
 */
interface Round {
  readonly hasExpired: boolean;
  readonly failure: "none" | "busy before" | "metadata";
  readonly calls: readonly { readonly client: number; readonly isAborted: boolean }[];
}

const ROUNDS: fc.Arbitrary<readonly Round[]> = fc.array(
  fc.record({
    hasExpired: fc.boolean(),
    failure: fc.constantFrom("none", "none", "busy before", "metadata"),
    calls: fc.array(
      fc.record({ client: fc.nat(CLIENTS - 1), isAborted: fc.boolean() }),
      { minLength: 1, maxLength: 5 },
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

/** An authorization server that accepts each refresh token once. The scheduler delays responses. */
class RotatingWorld extends OAuthWorld {
  reused = 0;
  current = "";
  failure: Round["failure"] = "none";
  #live = "";
  #count = 0;

  constructor(delay: (label: string) => Promise<void>) {
    super();
    this.accepts = (token) => token === this.current;
    this.answers[`GET ${ISSUER}/.well-known/oauth-authorization-server`] = async () => {
      await delay("metadata");
      if (this.failure === "metadata") return new Response(null, { status: 503 });
      return Response.json({
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/authorize`,
        token_endpoint: `${ISSUER}/token`,
        registration_endpoint: `${ISSUER}/register`,
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    };
    this.answers[`POST ${ISSUER}/token`] = async ({ form }) => {
      await delay("request");
      if (form.get("grant_type") === "refresh_token") {
        if (this.failure === "busy before") return new Response(null, { status: 503 });
        if (form.get("refresh_token") !== this.#live) {
          this.reused++;
          return Response.json({ error: "invalid_grant" }, { status: 400 });
        }
      }
      this.current = `access-${++this.#count}`;
      this.#live = `refresh-${this.#count}`;
      const members = { access_token: this.current, refresh_token: this.#live };
      await delay("response");
      return Response.json({ ...members, token_type: "Bearer" });
    };
  }
}

/** Store objects of several processes, which share values and locks. */
function storesOf(
  areProcesses: boolean,
  delay: (label: string) => Promise<void>,
): readonly CredentialStore[] {
  const inner = memoryStore();
  const open = (): CredentialStore => ({
    load: async (key) => {
      await delay("load");
      return await inner.load(key);
    },
    save: async (key, value) => {
      await delay("save");
      await inner.save(key, value);
    },
    ...(areProcesses && inner.lock !== undefined ? { lock: inner.lock } : {}),
  });
  const shared = open();
  return Array.from({ length: CLIENTS }, () => areProcesses ? open() : shared);
}

for (const areProcesses of [false, true]) {
  const title = areProcesses ? "processes" : "clients of a process";
  Deno.test(`${title} that share a store never send a used refresh token, in any order of events`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), ROUNDS, async (scheduler, rounds) => {
        let isScheduled = false;
        const delay = async (label: string): Promise<void> => {
          if (isScheduled) await scheduler.schedule(Promise.resolve(), label);
        };
        const world = new RotatingWorld(delay);
        const calls = storesOf(areProcesses, delay).map((store) => {
          const config = { ...world.config, store, onError: () => {} };
          const fetch = authorizedFetch(config, { resource: RESOURCE, fetch: world.fetch });
          return async (signal?: AbortSignal): Promise<string> => {
            const init = { method: "POST", ...(signal && { signal }) };
            return await (await fetch(RESOURCE, init)).text();
          };
        });
        for (const call of calls) await call();
        isScheduled = true;
        for (const round of rounds) {
          if (round.hasExpired) world.current = "expired";
          world.failure = round.failure;
          const running = round.calls.map(async ({ client, isAborted }) => {
            const stop = new AbortController();
            if (isAborted) delay("abort").then(() => stop.abort(new Error("stop")));
            await calls[client]?.(stop.signal);
          });
          await scheduler.waitFor(Promise.allSettled(running));
        }
        world.failure = "none";
        world.current = "expired";
        const last = scheduler.waitFor(Promise.all(calls.map((call) => call())));
        // The server responds with the token that it has accepted.
        assertEquals((await last).every((text) => text.startsWith("access-")), true);
        assertEquals([world.reused, world.logins.length], [0, 1]);
      }),
      propertyRuns(100),
    );
  });
}
