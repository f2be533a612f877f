import { assert, assertEquals } from "@std/assert";
import { McpError } from "../shared/error.ts";
import { ISSUER, OAuthWorld, RESOURCE } from "../testdata/oauth.ts";
import { authorizedFetch } from "./authorized_fetch.ts";
import { memoryStore } from "./credential_store.ts";

const RESOURCE_ROOT = "https://mcp.example/.well-known/oauth-protected-resource";
const RESOURCE_PATH = `${RESOURCE_ROOT}/mcp`;
const OAUTH = `${ISSUER}/.well-known/oauth-authorization-server`;
const OPENID = `${ISSUER}/.well-known/openid-configuration`;
const ELSEWHERE = "https://elsewhere.example/login";

type Answer = () => Response;

function status(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return () => new Response(null, { status, headers });
}

function redirect(code: number, location = ELSEWHERE): Answer {
  return status(code, { location });
}

/** The response to a redirect as a browser shows it. */
function opaque(): Response {
  const response = new Response(null);
  Object.defineProperty(response, "type", { value: "opaqueredirect" });
  Object.defineProperty(response, "status", { value: 0 });
  return response;
}

function resource(): Response {
  return Response.json({ resource: RESOURCE, authorization_servers: [ISSUER] });
}

function issuer(): Response {
  return Response.json({
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    registration_endpoint: `${ISSUER}/register`,
    code_challenge_methods_supported: ["S256"],
  });
}

/** A call of a client, the statuses of its reports, and the endpoint of the login. */
interface Outcome {
  readonly error?: string;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
  readonly login?: string;
  readonly reports: readonly (number | undefined)[];
}

async function logIn(
  answers: Readonly<Record<string, Answer>>,
  challenge: string | undefined,
): Promise<Outcome & { readonly world: OAuthWorld }> {
  const world = new OAuthWorld();
  world.challenge = challenge === undefined ? "Bearer" : `Bearer resource_metadata="${challenge}"`;
  for (const [url, answer] of Object.entries(answers)) world.answers[`GET ${url}`] = answer;
  Object.assign(world.answers, DEFAULT_ENDPOINTS);
  const reports: (number | undefined)[] = [];
  const onError = (error: unknown): void => {
    assert(error instanceof McpError, String(error));
    reports.push(error.httpStatus);
  };
  const fetch = authorizedFetch({ ...world.config, onError }, {
    resource: RESOURCE,
    fetch: world.fetch,
  });
  const caught = await fetch(RESOURCE, { method: "POST" }).then(() => undefined, (error) => error);
  const login = world.logins[0];
  if (caught === undefined) {
    return { world, reports, ...(login && { login: `${login.origin}${login.pathname}` }) };
  }
  assert(caught instanceof McpError && caught.is("auth_error"), String(caught));
  const { details: { reason: error, retryAfterMs }, httpStatus } = caught;
  return {
    world,
    reports,
    error,
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(login && { login: `${login.origin}${login.pathname}` }),
  };
}

const FOUND = { login: `${ISSUER}/authorize`, reports: [] };
const AT_SERVER = { login: "https://mcp.example/authorize", reports: [] };

/** The endpoints that a server without metadata has by default. */
const DEFAULT_ENDPOINTS = {
  "POST https://mcp.example/register": () => Response.json({ client_id: "c" }, { status: 201 }),
  "POST https://mcp.example/token": () =>
    Response.json({ access_token: "t", token_type: "Bearer" }),
};

/**
 * Test cases: responses keyed by the URL of the metadata, the URL in the challenge, the outcome.
 */
const CASES: Readonly<
  Record<string, readonly [Readonly<Record<string, Answer>>, string | undefined, Outcome]>
> = {
  ...Object.fromEntries([301, 302, 303, 307, 308].map((code) => [
    `the metadata of the server redirects elsewhere with ${code}`,
    [
      { [RESOURCE_PATH]: redirect(code), [RESOURCE_ROOT]: resource },
      undefined,
      { ...FOUND, reports: [code] },
    ] as const,
  ])),
  "the metadata of the server redirects to a page that redirects elsewhere": [
    {
      [RESOURCE_PATH]: redirect(302, "/login"),
      "https://mcp.example/login": redirect(303),
      [RESOURCE_ROOT]: resource,
    },
    undefined,
    { ...FOUND, reports: [303] },
  ],
  "the metadata of the server redirects in a browser": [
    { [RESOURCE_PATH]: opaque, [RESOURCE_ROOT]: resource },
    undefined,
    { ...FOUND, reports: [undefined] },
  ],
  "the metadata in the challenge redirects elsewhere": [
    { [RESOURCE_PATH]: redirect(302), [RESOURCE_ROOT]: resource },
    RESOURCE_PATH,
    { error: `"${RESOURCE_PATH}" has no resource metadata`, reports: [302] },
  ],
  "the OAuth metadata redirects elsewhere": [
    { [OAUTH]: redirect(302), [OPENID]: issuer },
    RESOURCE_PATH,
    { ...FOUND, reports: [302] },
  ],
  "all metadata of the authorization server redirects elsewhere": [
    { [OAUTH]: redirect(302), [OPENID]: redirect(307) },
    RESOURCE_PATH,
    { error: `"${ISSUER}" has no authorization server metadata`, reports: [302] },
  ],
  "the metadata of the server fails with 500": [
    { [RESOURCE_PATH]: status(500), [RESOURCE_ROOT]: resource },
    undefined,
    FOUND,
  ],
  "all metadata of the server fails with 500": [
    { [RESOURCE_PATH]: status(500), [RESOURCE_ROOT]: status(500) },
    undefined,
    AT_SERVER,
  ],
  "the metadata of the server is not available, but that of the origin is": [
    { [RESOURCE_PATH]: status(503), [RESOURCE_ROOT]: resource },
    undefined,
    FOUND,
  ],
  "the metadata of the server is not available, and the origin has none": [
    { [RESOURCE_PATH]: status(503, { "retry-after": "5" }), [RESOURCE_ROOT]: status(404) },
    undefined,
    {
      error: '"https://mcp.example" is not available: HTTP 503',
      httpStatus: 503,
      retryAfterMs: 5000,
      reports: [],
    },
  ],
  "the metadata of the origin is requested too often": [
    { [RESOURCE_PATH]: status(404), [RESOURCE_ROOT]: status(429, { "retry-after": "60" }) },
    undefined,
    {
      error: '"https://mcp.example" is not available: HTTP 429',
      httpStatus: 429,
      retryAfterMs: 60_000,
      reports: [],
    },
  ],
  "the metadata in the challenge is not available": [
    { [RESOURCE_PATH]: status(502) },
    RESOURCE_PATH,
    {
      error: '"https://mcp.example" is not available: HTTP 502',
      httpStatus: 502,
      reports: [],
    },
  ],
  "the OAuth metadata is not available, but the OpenID metadata is": [
    { [OAUTH]: status(504), [OPENID]: issuer },
    RESOURCE_PATH,
    FOUND,
  ],
  "the metadata of the authorization server is not available": [
    { [OAUTH]: status(404), [OPENID]: status(503) },
    RESOURCE_PATH,
    { error: `"${ISSUER}" is not available: HTTP 503`, httpStatus: 503, reports: [] },
  ],
};

for (const [title, [answers, challenge, expected]] of Object.entries(CASES)) {
  Deno.test(`a client logs in at the right server, or nowhere, if ${title}`, async () => {
    const { world, ...outcome } = await logIn(answers, challenge);
    assertEquals(outcome, expected);
    assertEquals(world.to(ELSEWHERE), []);
  });
}

Deno.test("tokens are kept while the metadata is not available, and are refreshed later", async () => {
  const places: readonly (readonly [string, string | undefined])[] = [
    [RESOURCE_PATH, undefined],
    [RESOURCE_PATH, RESOURCE_PATH],
    [OAUTH, undefined],
  ];
  for (const [place, challenge] of places) {
    const world = new OAuthWorld();
    if (challenge === undefined) world.challenge = "Bearer";
    const store = memoryStore();
    const fetch = authorizedFetch({ ...world.config, store }, {
      resource: RESOURCE,
      fetch: world.fetch,
    });
    const call = async () => await (await fetch(RESOURCE, { method: "POST" })).text();
    assertEquals(await call(), "token-1");
    world.accepts = (token) => token !== "token-1";
    world.answers[`GET ${place}`] = status(503);
    const before = await store.load(`tokens ${RESOURCE}`);
    const caught = await call().catch((error) => error);
    assert(caught instanceof McpError, String(caught));
    assertEquals([caught.code, caught.httpStatus], ["auth_error", 503]);
    assertEquals(await store.load(`tokens ${RESOURCE}`), before);
    delete world.answers[`GET ${place}`];
    assertEquals(await call(), "token-2");
    assertEquals(world.logins.length, 1);
  }
});
