import { assertEquals } from "@std/assert";
import { ISSUER, OAuthWorld, RESOURCE } from "../testdata/oauth.ts";
import { authorizedFetch } from "./authorized_fetch.ts";
import type { DiscoveryConfig } from "./config.ts";
import { type CredentialStore, memoryStore } from "./credential_store.ts";

const REGISTER = `${ISSUER}/register`;
const TOKEN = `${ISSUER}/token`;
const TOKENS = `tokens ${RESOURCE}`;

/** An authorization server that gives each registration its own identifier and secret. */
class RegisteringWorld extends OAuthWorld {
  #count = 0;

  constructor(hasSecrets = false) {
    super();
    this.metadata = { token_endpoint_auth_methods_supported: ["client_secret_post", "none"] };
    this.answers[`POST ${REGISTER}`] = () => {
      const client_id = `client-${++this.#count}`;
      return Response.json({
        client_id,
        ...(hasSecrets
          ? {
            client_secret: `secret-of-${client_id}`,
            token_endpoint_auth_method: "client_secret_post",
          }
          : { token_endpoint_auth_method: "none" }),
      }, { status: 201 });
    };
  }
}

function callOf(
  world: OAuthWorld,
  store: CredentialStore,
  config: Partial<DiscoveryConfig> = {},
): (resource?: string) => Promise<string> {
  return async (resource = RESOURCE) => {
    const fetch = authorizedFetch({ ...world.config, store, onError: () => {}, ...config }, {
      resource,
      fetch: world.fetch,
    });
    return await (await fetch(resource, { method: "POST" })).text();
  };
}

/** Returns the credentials in the last token request. */
function lastClient(world: OAuthWorld): readonly (string | null | undefined)[] {
  const form = world.to(TOKEN).at(-1)?.form;
  return ["grant_type", "client_id", "client_secret"].map((name) => form?.get(name));
}

for (const hasSecrets of [false, true]) {
  const kind = hasSecrets ? "confidential" : "public";
  const secret = (id: string): string | null => hasSecrets ? `secret-of-${id}` : null;

  Deno.test(`a ${kind} client with another redirect URI refreshes tokens without registering`, async () => {
    const world = new RegisteringWorld(hasSecrets);
    const store = memoryStore();
    await callOf(world, store)();
    world.accepts = (token) => token === "token-2";
    const redirectUri = "http://127.0.0.1:8911/callback";
    assertEquals(await callOf(world, store, { redirectUri })(), "token-2");
    assertEquals(lastClient(world), ["refresh_token", "client-1", secret("client-1")]);
    assertEquals([world.to(REGISTER).length, world.logins.length], [1, 1]);
  });

  Deno.test(`a ${kind} client refreshes its tokens after another one has registered with another redirect URI`, async () => {
    const world = new RegisteringWorld(hasSecrets);
    const store = memoryStore();
    await callOf(world, store)();
    const redirectUri = "http://127.0.0.1:8911/callback";
    // The other client asks for another scope, so it registers and logs in.
    world.challenge += ', error="insufficient_scope", scope="write"';
    world.accepts = (token) => token === "token-2";
    assertEquals(await callOf(world, store, { redirectUri })(), "token-2");
    assertEquals(lastClient(world), ["authorization_code", "client-2", secret("client-2")]);
    world.challenge = world.challenge.split(",")[0] ?? "";
    world.accepts = (token) => token === "token-3";
    assertEquals(await callOf(world, store)(), "token-3");
    assertEquals(lastClient(world), ["refresh_token", "client-2", secret("client-2")]);
    assertEquals([world.to(REGISTER).length, world.logins.length], [2, 2]);
  });

  Deno.test(`a ${kind} client whose refresh is rejected logs in with a registration for its redirect URI`, async () => {
    const world = new RegisteringWorld(hasSecrets);
    const store = memoryStore();
    await callOf(world, store)();
    world.accepts = (token) => token === "new";
    world.answers[`POST ${TOKEN}`] = ({ form }) =>
      form.get("grant_type") === "refresh_token"
        ? Response.json({ error: "invalid_grant" }, { status: 400 })
        : Response.json({ access_token: "new", token_type: "Bearer" });
    const redirectUri = "http://127.0.0.1:8911/callback";
    assertEquals(await callOf(world, store, { redirectUri })(), "new");
    assertEquals(lastClient(world), ["authorization_code", "client-2", secret("client-2")]);
    assertEquals(world.logins.at(-1)?.searchParams.get("redirect_uri"), redirectUri);
  });

  Deno.test(`${kind} clients of several servers with one authorization server register once`, async () => {
    const world = new RegisteringWorld(hasSecrets);
    const resources = ["a", "b", "c"].map((name) => `https://mcp.example/${name}`);
    for (const resource of resources) {
      const path = new URL(resource).pathname;
      world.answers[`GET https://mcp.example/.well-known/oauth-protected-resource${path}`] = () =>
        Response.json({ resource, authorization_servers: [ISSUER] });
      world.answers[`POST ${resource}`] = ({ headers }) =>
        headers.has("authorization")
          ? new Response(resource)
          : new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
    }
    const store = memoryStore();
    const call = callOf(world, store);
    assertEquals(await Promise.all(resources.map((resource) => call(resource))), resources);
    assertEquals(world.to(REGISTER).length, 1);
    assertEquals(
      new Set(world.logins.map(({ searchParams }) => searchParams.get("client_id"))),
      new Set(["client-1"]),
    );
  });
}

/** Changes of the store after a login, and the client that the next token request names. */
const CHANGES: Readonly<
  Record<string, readonly [(store: CredentialStore) => Promise<void>, readonly unknown[]]>
> = {
  "nothing changes": [() => Promise.resolve(), ["refresh_token", "client-1", "secret-of-client-1"]],
  "the registration is deleted": [
    async (store) => await store.save(`client ${ISSUER}`, undefined),
    ["refresh_token", "client-1", "secret-of-client-1"],
  ],
  "the registration is replaced": [
    async (store) =>
      await store.save(`client ${ISSUER}`, JSON.stringify({ client_id: "x", client_secret: "y" })),
    ["refresh_token", "client-1", "secret-of-client-1"],
  ],
  "the tokens do not contain a registration": [
    async (store) => {
      const { registration: _, ...rest } = JSON.parse(await store.load(TOKENS) ?? "{}");
      await store.save(TOKENS, JSON.stringify(rest));
    },
    ["refresh_token", "client-1", "secret-of-client-1"],
  ],
  "the registration is deleted, and the tokens do not contain it": [
    async (store) => {
      await store.save(`client ${ISSUER}`, undefined);
      const { registration: _, ...rest } = JSON.parse(await store.load(TOKENS) ?? "{}");
      await store.save(TOKENS, JSON.stringify(rest));
    },
    ["authorization_code", "client-2", "secret-of-client-2"],
  ],
};

for (const [title, [change, expected]] of Object.entries(CHANGES)) {
  Deno.test(`a refresh names the client that the tokens were issued to if ${title}`, async () => {
    const world = new RegisteringWorld(true);
    const store = memoryStore();
    await callOf(world, store)();
    await change(store);
    world.accepts = (token) => token === "token-2";
    assertEquals(await callOf(world, store)(), "token-2");
    assertEquals(lastClient(world), expected);
  });
}

Deno.test("a rejected client deletes its registration, but not the registration of another client", async () => {
  for (const isReplaced of [false, true]) {
    const world = new RegisteringWorld(true);
    const store = memoryStore();
    await callOf(world, store)();
    const redirect_uri = "http://127.0.0.1:8910/callback";
    const replaced = JSON.stringify({ client_id: "client-9", client_secret: "s-9", redirect_uri });
    if (isReplaced) await store.save(`client ${ISSUER}`, replaced);
    world.accepts = (token) => token === "new";
    world.answers[`POST ${TOKEN}`] = ({ form }) =>
      form.get("grant_type") === "refresh_token"
        ? Response.json({ error: "invalid_client" }, { status: 401 })
        : Response.json({ access_token: "new", token_type: "Bearer" });
    assertEquals(await callOf(world, store)(), "new");
    const [, clientId] = lastClient(world);
    assertEquals(clientId, isReplaced ? "client-9" : "client-2");
  }
});
