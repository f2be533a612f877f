import { assertEquals, assertRejects } from "@std/assert";
import { stub } from "@std/testing/mock";
import { McpError } from "../shared/error.ts";
import { ISSUER, OAuthWorld, REDIRECT, RESOURCE } from "../testdata/oauth.ts";
import { type AuthorizationCodeRequest, runAuthorizationCodeFlow } from "./authorization_code.ts";
import { Secrets } from "./redact_secrets.ts";

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
    secrets: new Secrets(),
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

/**
 * Test cases: title and parameters of an authorization response, and the expected code or error
 * message.
 */
const CALLBACKS: readonly (readonly [string, {
  readonly back: (state: string) => string;
  readonly issuer?: object;
}, string])[] = [
  ["a code and a matching state", { back: (state) => `code=1&state=${state}` }, "1"],
  ['a matching "iss"', { back: (state) => `code=1&state=${state}&iss=${ISSUER}` }, "1"],
  [
    'an "iss" that the server metadata announces',
    {
      back: (state) => `code=1&state=${state}&iss=${ISSUER}`,
      issuer: { authorization_response_iss_parameter_supported: true },
    },
    "1",
  ],
  [
    'no "iss" although the server metadata announces one',
    {
      back: (state) => `code=1&state=${state}`,
      issuer: { authorization_response_iss_parameter_supported: true },
    },
    'has no "iss"',
  ],
  [
    'another "iss"',
    { back: (state) => `code=1&state=${state}&iss=https://evil.example` },
    "does not match the issuer",
  ],
  [
    'an "iss" with an additional slash',
    { back: (state) => `code=1&state=${state}&iss=${ISSUER}/` },
    "does not match the issuer",
  ],
  [
    'an empty "iss"',
    { back: (state) => `code=1&state=${state}&iss=` },
    "does not match the issuer",
  ],
  [
    'any "iss" if the issuer is unknown',
    { back: (state) => `code=1&state=${state}&iss=${ISSUER}/`, issuer: { issuer: undefined } },
    "1",
  ],
  [
    'another "state"',
    { back: () => "code=1&state=guess" },
    '"state" in the authorization response does not match',
  ],
  ['no "state"', { back: () => "code=1" }, '"state" in the authorization response does not match'],
  [
    'a duplicate "state"',
    { back: (state) => `code=1&state=${state}&state=${state}` },
    'more than one "state"',
  ],
  [
    'a duplicate "code"',
    { back: (state) => `code=1&code=2&state=${state}` },
    'more than one "code"',
  ],
  ['no "code"', { back: (state) => `state=${state}` }, 'has no "code"'],
  ['an empty "code"', { back: (state) => `code=&state=${state}` }, 'has no "code"'],
  [
    "an error",
    { back: (state) => `error=access_denied&error_description=not+%0A+you&state=${state}` },
    'login failed with "access_denied" ("not \\u{a} you")',
  ],
  [
    "an error from another issuer without quoting it",
    { back: (state) => `error=shown&state=${state}&iss=https://evil.example` },
    'Cannot authorize the request: "iss" in the authorization response does not match the issuer',
  ],
];

for (const [name, { back, issuer = {} }, expected] of CALLBACKS) {
  Deno.test(`runAuthorizationCodeFlow() ${expected === "1" ? "accepts" : "rejects"} ${name}`, async () => {
    const login = loginWith({
      issuer,
      authorize: (url) =>
        Promise.resolve(`${REDIRECT}?${back(url.searchParams.get("state") ?? "")}`),
    });
    if (expected === "1") assertEquals((await runAuthorizationCodeFlow(login)).code, "1");
    else await assertRejects(() => runAuthorizationCodeFlow(login), McpError, expected);
  });
}

Deno.test("runAuthorizationCodeFlow() accepts the redirect as a URL, its parameters or a string", async () => {
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
    "returned an invalid URL",
  );
});

Deno.test("runAuthorizationCodeFlow() requires PKCE, an authorization endpoint and a callback", async () => {
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
  await assertRejects(
    () => runAuthorizationCodeFlow(closed),
    McpError,
    "has no authorization endpoint",
  );
  await assertRejects(
    () => runAuthorizationCodeFlow(loginWith()),
    McpError,
    'set the "authorize" option',
  );
  assertEquals(logins, []);
});

Deno.test("runAuthorizationCodeFlow() keeps the callback's error as the cause", async () => {
  const cause = new Error("no browser here");
  const login = loginWith({ authorize: () => Promise.reject(cause) });
  const error = await assertRejects(
    () => runAuthorizationCodeFlow(login),
    McpError,
    "login failed",
  );
  assertEquals(error.cause, cause);
});

Deno.test("runAuthorizationCodeFlow() rejects if the callback throws or returns no redirect", async () => {
  const stateOf = (url: URL): string => url.searchParams.get("state") ?? "";
  const outcomes: readonly ((url: URL) => unknown)[] = [
    () => {
      throw new Error("no browser here");
    },
    (url) => ({ code: "1", state: stateOf(url) }),
    (url) => [`${REDIRECT}?code=1&state=${stateOf(url)}`, "x"],
    (url) => new Map([["code", "1"], ["state", stateOf(url)]]),
    (url) => ({ searchParams: new URLSearchParams({ code: "1", state: stateOf(url) }) }),
    (url) => `code=1&state=${stateOf(url)}`,
    (url) => url,
    ...[undefined, null, true, 1, "", "true", "1", {}].map((value) => () => value),
  ];
  for (const outcome of outcomes) {
    for (const result of [outcome, (url: URL) => Promise.resolve(url).then(outcome)]) {
      // The types do not permit some results, but functions in JavaScript can return them.
      const authorize = result as AuthorizationCodeRequest["authorize"];
      const error = await assertRejects(
        () => runAuthorizationCodeFlow(loginWith({ authorize })),
        McpError,
      );
      assertEquals(error.code, "auth_error");
    }
  }
});

Deno.test("runAuthorizationCodeFlow() uses a new state and a new challenge for each login", async () => {
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

Deno.test("runAuthorizationCodeFlow() rejects with the reason of an aborted signal and starts no login", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  let logins = 0;
  const authorize = (url: URL): Promise<URL> => {
    logins++;
    return Promise.resolve(url);
  };
  const login = loginWith({ authorize, signal: controller.signal });
  const running = runAuthorizationCodeFlow(login);
  controller.abort(reason);
  assertEquals(await assertRejects(() => running), reason);
  assertEquals(logins, 0);
});

Deno.test("runAuthorizationCodeFlow() rejects with the abort reason if the callback aborts the signal and succeeds or throws", async () => {
  const reason = new Error("enough");
  const outcomes = [(url: URL) => Promise.resolve(url), (): never => {
    throw new Error("no browser here");
  }];
  for (const outcome of outcomes) {
    const controller = new AbortController();
    const authorize = (url: URL): Promise<URL> => {
      controller.abort(reason);
      return outcome(url);
    };
    const login = loginWith({ authorize, signal: controller.signal });
    assertEquals(await assertRejects(() => runAuthorizationCodeFlow(login)), reason);
  }
});

Deno.test("runAuthorizationCodeFlow() waits no longer for a login than the longest delay of a timer", async () => {
  using timers = stub(globalThis, "setTimeout", (callback) => {
    queueMicrotask(() => callback());
    return JSON.parse("0");
  });
  const authorize = () => new Promise<URL>(() => {});
  for (const loginTimeoutMs of [5, 2 ** 31, Infinity]) {
    await assertRejects(() => runAuthorizationCodeFlow(loginWith({ authorize, loginTimeoutMs })));
  }
  assertEquals(timers.calls.map(({ args }) => args[1]), [5, 2 ** 31 - 1, 2 ** 31 - 1]);
});
