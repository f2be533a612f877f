import { assert, assertEquals } from "@std/assert";
import { ISSUER, OAuthWorld, REDIRECT, RESOURCE, type Sent } from "../testdata/oauth.ts";
import { authorizedFetch } from "./authorized_fetch.ts";
import type { AuthConfig } from "./config.ts";
import { identityAssertion } from "./identity_assertion.ts";

const IDP = "https://idp.example";

/** Secrets that the test environment uses, so that leaks can be detected. */
const SECRETS = {
  accessToken: "planted-access-token",
  refreshToken: "planted-refresh-token",
  clientSecret: "planted-client-secret",
  code: "planted-code",
  assertion: "planted-assertion",
  subjectToken: "planted-subject-token",
};

const FLOWS: Readonly<Record<string, (world: OAuthWorld) => AuthConfig>> = {
  "the authorization code flow": (world) => ({
    ...world.config,
    clientSecret: SECRETS.clientSecret,
    clientId: "c",
  }),
  "dynamic client registration": (world) => world.config,
  "fixed endpoints": (world) => ({
    clientId: "c",
    clientSecret: SECRETS.clientSecret,
    redirectUri: REDIRECT,
    authUrl: `${ISSUER}/authorize`,
    tokenUrl: `${ISSUER}/token`,
    authorize: world.authorize,
  }),
  "client credentials": () => ({
    discover: true,
    clientId: "c",
    clientSecret: SECRETS.clientSecret,
    grant: { type: "client_credentials" },
  }),
  "a JWT bearer grant": () => ({
    discover: true,
    clientId: "c",
    grant: { type: "jwt_bearer", assertion: () => SECRETS.assertion },
  }),
  "an identity assertion": () => ({
    discover: true,
    clientId: "c",
    clientSecret: SECRETS.clientSecret,
    grant: {
      type: "jwt_bearer",
      assertion: identityAssertion({
        tokenUrl: `${IDP}/token`,
        clientId: "c-at-idp",
        subjectToken: SECRETS.subjectToken,
      }),
    },
  }),
};

/**
 * For each secret, the URL and the part of the request in which the client may send that secret.
 */
const MAY_BE_SHOWN: Readonly<Record<keyof typeof SECRETS, readonly string[]>> = {
  accessToken: [`${RESOURCE} header`],
  refreshToken: [`${ISSUER}/token body`],
  clientSecret: [`${ISSUER}/token body`, `${ISSUER}/token header`],
  code: [`${ISSUER}/token body`],
  assertion: [`${ISSUER}/token body`],
  subjectToken: [`${IDP}/token body`],
};

/** Encodings in which a server or a function may repeat a request, keyed by title. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": decodeURIComponent,
  "as a form": (text) => text,
  "percent-encoded": encodeURIComponent,
  "as JSON in JSON": (text) => JSON.stringify(JSON.stringify({ sent: decodeURIComponent(text) })),
  "in base64": (text) => btoa(decodeURIComponent(text)),
  "in base64url without padding": (text) =>
    btoa(decodeURIComponent(text)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""),
  "in hexadecimal": (text) =>
    [...new TextEncoder().encode(decodeURIComponent(text))]
      .map((byte) => byte.toString(16).padStart(2, "0")).join(""),
};

/** Returns everything that a token request contains. */
function repeat({ body, headers, url }: Pick<Sent, "body" | "headers" | "url">): string {
  const authorization = headers.get("authorization") ?? "";
  const basic = authorization.replace(/^Basic (.*)$/, (_, text) => atob(text));
  return `${url} ${body} ${authorization} ${basic}`;
}

/** Server faults that are likely to expose secrets, keyed by title. */
const FAULTS: Readonly<Record<string, (world: OAuthWorld) => void>> = {
  "no server has a fault": () => {},
  ...Object.fromEntries(
    Object.entries(ENCODINGS).flatMap(([title, encode]) => [
      [`the token endpoint echoes the request ${title}`, (world: OAuthWorld) => {
        world.answers[`POST ${ISSUER}/token`] = (sent) =>
          Response.json({ error: "invalid_grant", error_description: encode(repeat(sent)) }, {
            status: 400,
          });
      }],
      [`the token endpoint echoes the request ${title}, without an OAuth error`, (world) => {
        world.answers[`POST ${ISSUER}/token`] = (sent) =>
          new Response(encode(repeat(sent)), { status: 503 });
      }],
      [`requests fail with an error that contains the request ${title}`, (world) => {
        const failing = ({ url, headers, body }: Sent): never => {
          const cause = new Error(encode(repeat({ url, headers, body })));
          throw Object.assign(new TypeError("fetch failed", { cause }), {
            request: new Request(url, { method: "POST", headers, body }),
            config: { headers: Object.fromEntries(headers), body },
          });
        };
        world.answers[`POST ${ISSUER}/token`] = failing;
      }],
      [`requests to the server fail with an error that contains the token ${title}`, (world) => {
        world.answers[`POST ${RESOURCE}`] = (sent) => {
          const { headers } = sent;
          if (headers.has("authorization")) throw new TypeError(encode(repeat(sent)));
          return new Response(null, {
            status: 401,
            headers: { "www-authenticate": world.challenge },
          });
        };
      }],
    ]),
  ),
  "the registration response is invalid and contains a secret": (world) => {
    world.answers[`POST ${ISSUER}/register`] = () =>
      Response.json({ client_secret: SECRETS.clientSecret, error: SECRETS.clientSecret }, {
        status: 400,
      });
  },
  "the token response is incomplete": (world) => {
    world.answers[`POST ${ISSUER}/token`] = () =>
      Response.json({ access_token: SECRETS.accessToken, refresh_token: SECRETS.refreshToken });
  },
  "an error response contains new tokens": (world) => {
    world.answers[`POST ${ISSUER}/token`] = () =>
      Response.json({ access_token: SECRETS.accessToken, refresh_token: SECRETS.refreshToken }, {
        status: 500,
      });
  },
  "the token type is unknown": (world) => {
    world.grant = { token_type: "mac" };
  },
  "the token type is a secret": (world) => {
    world.grant = { token_type: SECRETS.accessToken };
  },
  "the token response is not JSON": (world) => {
    world.answers[`POST ${ISSUER}/token`] = ({ body }) => new Response(body);
  },
  "the token endpoint redirects": (world) => {
    world.answers[`POST ${ISSUER}/token`] = () =>
      new Response(null, { status: 307, headers: { location: "https://evil.example/token" } });
  },
  "every token is rejected": (world) => {
    world.accepts = () => false;
  },
  "another issuer responds to the login": (world) => {
    world.callback = { iss: "https://evil.example" };
  },
  "the login fails with an error that contains the code": (world) => {
    world.callback = {
      iss: ISSUER,
      error: "invalid",
      error_description: `${SECRETS.code} ${btoa(SECRETS.code)}`,
      code: SECRETS.code,
    };
  },
};

for (const [flow, configure] of Object.entries(FLOWS)) {
  for (const [fault, apply] of Object.entries(FAULTS)) {
    Deno.test(`${flow} leaks no secret if ${fault}`, async () => {
      const world = plantedWorld();
      apply(world);
      const errors: unknown[] = [];
      const onError = (error: unknown): void => void errors.push(error);
      const authorized = authorizedFetch({ ...configure(world), onError }, {
        resource: RESOURCE,
        fetch: world.fetch,
      });
      for (let call = 0; call < 3; call++) {
        await authorized(RESOURCE, { method: "POST" }).then((response) => response.body?.cancel())
          .catch((error) => errors.push(error));
        // The server rejects the token, so the next calls refresh the token and then request a new
        // grant.
        world.accepts = () => false;
      }
      for (const error of errors) assertClean(describe(error));
      for (const url of world.logins) assertClean(url.href);
      for (const sent of world.sent) assertInPlace(sent);
    });
  }
}

Deno.test("the keys of stored entries contain no secrets", async () => {
  const world = plantedWorld();
  const saved = new Map<string, string | undefined>();
  const store = {
    load: (key: string) => saved.get(key),
    save: (key: string, value: string | undefined) => void saved.set(key, value),
  };
  const config = { ...world.config, store };
  const secretive = `${RESOURCE}?key=planted-access-token`;
  const authorized = authorizedFetch(config, { resource: secretive, fetch: world.fetch });
  await (await authorized(RESOURCE, { method: "POST" })).body?.cancel();
  assertEquals([...saved.keys()], [`client ${ISSUER}`, `tokens ${RESOURCE}`]);
  // Secrets in the server URL are not sent to the authorization server.
  for (const url of world.logins) assertClean(url.href);
});

function plantedWorld(): OAuthWorld {
  const world = new OAuthWorld();
  world.metadata = { token_endpoint_auth_methods_supported: ["client_secret_basic", "none"] };
  world.callback = { iss: ISSUER, code: SECRETS.code };
  world.grant = { access_token: SECRETS.accessToken, refresh_token: SECRETS.refreshToken };
  world.answers[`POST ${ISSUER}/register`] = () =>
    Response.json({ client_id: "c", client_secret: SECRETS.clientSecret }, { status: 201 });
  world.answers[`POST ${IDP}/token`] = () =>
    Response.json({ access_token: SECRETS.assertion, token_type: "N_A" });
  return world;
}

Deno.test("an error response that echoes the request does not contain the token", async () => {
  for (const [title, encode] of Object.entries(ENCODINGS)) {
    const world = plantedWorld();
    world.answers[`POST ${RESOURCE}`] = (sent) =>
      sent.headers.has("authorization")
        ? Response.json({ error: encode(repeat(sent)) }, { status: 403 })
        : new Response(null, { status: 401, headers: { "www-authenticate": world.challenge } });
    const authorized = authorizedFetch(world.config, { resource: RESOURCE, fetch: world.fetch });
    const response = await authorized(RESOURCE, { method: "POST" });
    assertEquals(response.status, 403, title);
    assertClean(await response.text());
  }
});

Deno.test("an error of the credential store or the login does not contain the credentials", async () => {
  const fail = (value: string | undefined): never => {
    throw Object.assign(new Error(`cannot write ${value}`), { sent: { value } });
  };
  const values = new Map<string, string | undefined>();
  for (const action of ["save", "load", "authorize", "lock"]) {
    const world = plantedWorld();
    const store = {
      load: (key: string) =>
        action === "load" && values.has(key) ? fail(values.get(key)) : undefined,
      save: (key: string, value: string | undefined) => {
        values.set(key, value);
        if (action === "save" && key.startsWith("tokens")) fail(value);
      },
      ...(action === "lock" ? { lock: () => fail(SECRETS.clientSecret) } : {}),
    };
    const authorize = async (url: URL, context: { readonly signal: AbortSignal }) => {
      const callback = await world.authorize(url, context);
      return action === "authorize" ? fail(String(callback)) : callback;
    };
    const config = { ...world.config, clientId: "c", clientSecret: SECRETS.clientSecret };
    const errors: unknown[] = [];
    const authorized = authorizedFetch({ ...config, authorize, store, onError: () => {} }, {
      resource: RESOURCE,
      fetch: world.fetch,
    });
    for (let call = 0; call < 2; call++) {
      await authorized(RESOURCE, { method: "POST" }).then((response) => response.body?.cancel())
        .catch((error) => errors.push(error));
      world.accepts = () => false;
    }
    assert(errors.length > 0, action);
    for (const error of errors) {
      const text = describe(error);
      const state = world.logins.at(-1)?.searchParams.get("state");
      if (action !== "authorize") assertClean(text);
      assert(state === undefined || state === null || !text.includes(state), text);
    }
  }
});

/** All information about an error that a log could contain, including nested values. */
function describe(error: unknown): string {
  return Deno.inspect(error, { depth: 20, showHidden: true, strAbbreviateSize: Infinity }) +
    JSON.stringify(error);
}

function assertClean(text: string): void {
  for (const [name, secret] of Object.entries(SECRETS)) {
    assert(!text.includes(secret), `the ${name} is exposed: ${text}`);
    const forms = [btoa(`c:${secret}`), btoa(secret), encodeURIComponent(secret)];
    for (const form of forms) assert(!text.includes(form), `the ${name} is exposed: ${text}`);
  }
}

function assertInPlace({ url, headers, body }: Sent): void {
  assertClean(url);
  const basic = headers.get("authorization")?.replace(/^Basic (.*)$/, (_, text) => atob(text));
  const parts = { header: `${JSON.stringify([...headers])} ${basic}`, body };
  for (const [name, secret] of Object.entries(SECRETS)) {
    for (const [part, text] of Object.entries(parts)) {
      if (!text.includes(secret)) continue;
      const allowed = MAY_BE_SHOWN[name as keyof typeof SECRETS];
      assert(
        allowed.includes(`${url} ${part}`),
        `the ${name} is exposed at ${url}, in the ${part}`,
      );
    }
  }
}
