import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "../shared/error.ts";
import { ISSUER, OAuthWorld, REDIRECT, RESOURCE } from "../testdata/oauth.ts";
import { type AuthorizationCodeRequest, runAuthorizationCodeFlow } from "./authorization_code.ts";

function loginWith(
  overrides: Partial<Omit<AuthorizationCodeRequest, "issuer">> & { readonly issuer?: object } = {},
): AuthorizationCodeRequest {
  const { issuer, ...rest } = overrides;
  return {
    clientId: "c",
    redirectUri: REDIRECT,
    resource: RESOURCE,
    scope: undefined,
    loginTimeoutMs: 1000,
    signal: new AbortController().signal,
    authorize: undefined,
    ...rest,
    issuer: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      code_challenge_methods_supported: ["S256"],
      ...issuer,
    },
  };
}

/** What comes back, and how that ends: with a code, or why not. */
const CALLBACKS: readonly (readonly [string, {
  readonly back: (state: string) => string;
  readonly issuer?: object;
}, string])[] = [
  ["a code", { back: (state) => `code=1&state=${state}` }, "1"],
  ["the right name", { back: (state) => `code=1&state=${state}&iss=${ISSUER}` }, "1"],
  [
    "the name that was promised",
    {
      back: (state) => `code=1&state=${state}&iss=${ISSUER}`,
      issuer: { authorization_response_iss_parameter_supported: true },
    },
    "1",
  ],
  [
    "no name although it was promised",
    {
      back: (state) => `code=1&state=${state}`,
      issuer: { authorization_response_iss_parameter_supported: true },
    },
    "without the name of its server",
  ],
  [
    "another name",
    { back: (state) => `code=1&state=${state}&iss=https://evil.example` },
    "from another authorization server",
  ],
  [
    "nearly the same name",
    { back: (state) => `code=1&state=${state}&iss=${ISSUER}/` },
    "from another authorization server",
  ],
  [
    "an empty name",
    { back: (state) => `code=1&state=${state}&iss=` },
    "from another authorization server",
  ],
  [
    "any name where none is known",
    { back: (state) => `code=1&state=${state}&iss=${ISSUER}/`, issuer: { issuer: undefined } },
    "1",
  ],
  ["another state", { back: () => "code=1&state=guess" }, 'another "state"'],
  ["no state", { back: () => "code=1" }, 'another "state"'],
  [
    "two states",
    { back: (state) => `code=1&state=${state}&state=${state}` },
    'more than one "state"',
  ],
  ["two codes", { back: (state) => `code=1&code=2&state=${state}` }, 'more than one "code"'],
  ["no code", { back: (state) => `state=${state}` }, "without a code"],
  ["an empty code", { back: (state) => `code=&state=${state}` }, "without a code"],
  [
    "a refusal",
    { back: (state) => `error=access_denied&error_description=not+%0A+you&state=${state}` },
    'the login is refused: "access_denied" ("not   you")',
  ],
  [
    "a refusal of somebody else, which is not shown",
    { back: (state) => `error=shown&state=${state}&iss=https://evil.example` },
    "Cannot authenticate: the login has come back from another authorization server",
  ],
];

for (const [name, { back, issuer = {} }, expected] of CALLBACKS) {
  Deno.test(`a login that comes back with ${name} ${expected === "1" ? "is good" : "is none"}`, async () => {
    const login = loginWith({
      issuer,
      authorize: (url) =>
        Promise.resolve(`${REDIRECT}?${back(url.searchParams.get("state") ?? "")}`),
    });
    if (expected === "1") assertEquals((await runAuthorizationCodeFlow(login)).code, "1");
    else await assertRejects(() => runAuthorizationCodeFlow(login), McpError, expected);
  });
}

Deno.test("a login may come back as a URL, its parameters or a text", async () => {
  const forms = [
    (url: URL) => url,
    (url: URL) => url.searchParams,
    (url: URL) => url.href,
  ];
  for (const form of forms) {
    const world = new OAuthWorld();
    const authorize: AuthorizationCodeRequest["authorize"] = async (url, context) =>
      form(new URL(String(await world.authorize(url, context))));
    assertEquals((await runAuthorizationCodeFlow(loginWith({ authorize }))).code, "code-1");
  }
  await assertRejects(
    () => runAuthorizationCodeFlow(loginWith({ authorize: () => Promise.resolve("nowhere") })),
    McpError,
    "without an address",
  );
});

Deno.test("nobody logs in where a proof is not checked, or there is no login", async () => {
  const { authorize, logins } = new OAuthWorld();
  for (const code_challenge_methods_supported of [undefined, [], ["plain"]]) {
    const login = loginWith({ authorize, issuer: { code_challenge_methods_supported } });
    await assertRejects(
      () => runAuthorizationCodeFlow(login),
      McpError,
      "does not support PKCE with S256",
    );
  }
  const closed = loginWith({ authorize, issuer: { authorization_endpoint: undefined } });
  await assertRejects(() => runAuthorizationCodeFlow(closed), McpError, "lets nobody log in");
  await assertRejects(() => runAuthorizationCodeFlow(loginWith()), McpError, 'give "authorize"');
  assertEquals(logins, []);
});

Deno.test("what keeps a person from logging in is the cause of the failure", async () => {
  const cause = new Error("no browser here");
  const login = loginWith({ authorize: () => Promise.reject(cause) });
  const error = await assertRejects(
    () => runAuthorizationCodeFlow(login),
    McpError,
    "the login cannot be made",
  );
  assertEquals(error.cause, cause);
});

Deno.test("every login has a state and a challenge of its own", async () => {
  const world = new OAuthWorld();
  const results = [];
  for (let n = 0; n < 3; n++) {
    results.push(await runAuthorizationCodeFlow(loginWith({ authorize: world.authorize })));
  }
  for (const name of ["state", "code_challenge"]) {
    assertEquals(new Set(world.logins.map(({ searchParams }) => searchParams.get(name))).size, 3);
  }
  assertEquals(new Set(results.map(({ verifier }) => verifier)).size, 3);
});
