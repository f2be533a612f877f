import { assert, assertEquals, assertRejects } from "@std/assert";
import { HttpTransport, McpClient } from "../client.ts";
import { mcpHandler, McpServer } from "../server.ts";
import { McpError } from "../shared/error.ts";
import { ISSUER, OAuthWorld, RESOURCE } from "../testdata/oauth.ts";
import { authorizedFetch } from "./authorized_fetch.ts";
import { memoryStore } from "./credential_store.ts";

const TOKEN = `POST ${ISSUER}/token`;
const SUCCESS = { access_token: "t1", token_type: "Bearer" };

/** The error of a login. */
interface Failure {
  readonly reason: string;
  readonly httpStatus: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** The error as a logger shows it. */
  readonly text: string;
}

/** A login: its error, the reported errors, and the tokens in the store. */
interface Login {
  readonly error: Failure | undefined;
  readonly reports: readonly McpError[];
  readonly stored: { readonly refreshToken?: string; readonly expiresAt?: number };
}

async function logIn(answer: () => Response): Promise<Login> {
  const world = new OAuthWorld();
  const store = memoryStore();
  const reports: McpError[] = [];
  const onError = (error: unknown): void => {
    assert(error instanceof McpError, String(error));
    reports.push(error);
  };
  world.answers[TOKEN] = answer;
  const fetch = authorizedFetch({ ...world.config, store, onError }, {
    resource: RESOURCE,
    fetch: world.fetch,
  });
  let error: Failure | undefined;
  try {
    await (await fetch(RESOURCE, { method: "POST" })).text();
  } catch (caught) {
    assert(caught instanceof McpError && caught.is("auth_error"), String(caught));
    const { details: { reason, retryAfterMs }, httpStatus } = caught;
    error = { reason, httpStatus, retryAfterMs, text: Deno.inspect(caught, { depth: 9 }) };
  }
  const stored = JSON.parse(await store.load(`tokens ${RESOURCE}`) ?? "{}");
  return { error, reports, stored };
}

const HOUR = "in one hour";

/**
 * Responses that are accepted although they do not follow the standard, keyed by title: members
 * besides the access token, status, stored refresh token and expiration time, and the report.
 */
const ACCEPTED: Readonly<
  Record<string, readonly [object, number, string | undefined, string | undefined, string?]>
> = {
  "the members of the standard": [{ refresh_token: "r1", expires_in: 3600 }, 200, "r1", HOUR],
  "unknown members": [{ ok: true, created_at: 1, scope: "a,b" }, 200, undefined, undefined],
  "status 201": [{ refresh_token: "r1" }, 201, "r1", undefined, "status 201"],
  "status 203": [{ refresh_token: "r1" }, 203, "r1", undefined, "status 203"],
  "an empty refresh token": [
    { refresh_token: "" },
    200,
    undefined,
    undefined,
    '"refresh_token" is empty',
  ],
  "a refresh token that is null": [
    { refresh_token: null },
    200,
    undefined,
    undefined,
    '"refresh_token" is null',
  ],
  "an expiration time that is null": [
    { expires_in: null },
    200,
    undefined,
    undefined,
    '"expires_in" is null',
  ],
  "an expiration time as text": [
    { expires_in: "3600" },
    200,
    undefined,
    HOUR,
    '"expires_in" is a string',
  ],
  "an expiration time as text with decimals": [
    { expires_in: "3600.0" },
    200,
    undefined,
    HOUR,
    '"expires_in" is a string',
  ],
  "an expiration time of 0": [
    { expires_in: 0 },
    200,
    undefined,
    undefined,
    '"expires_in" is not positive',
  ],
  "a negative expiration time": [
    { expires_in: -1 },
    200,
    undefined,
    undefined,
    '"expires_in" is not positive',
  ],
  "a negative expiration time as text": [
    { expires_in: "-1" },
    200,
    undefined,
    undefined,
    '"expires_in" is not positive',
  ],
  "scopes in an array": [
    { scope: ["a", "b"] },
    200,
    undefined,
    undefined,
    '"scope" is not a string',
  ],
  "an empty error": [{ error: "" }, 200, undefined, undefined, '"error" is empty'],
  "an error that is false": [{ error: false }, 200, undefined, undefined, '"error" is false'],
  "an error that is null": [{ error: null }, 200, undefined, undefined, '"error" is null'],
};

for (const [title, row] of Object.entries(ACCEPTED)) {
  Deno.test(`a token response with ${title} is accepted, and the deviation is reported`, async () => {
    const [members, status, refreshToken, expires, report] = row;
    const before = Date.now();
    const { error, reports, stored } = await logIn(
      () => Response.json({ ...SUCCESS, ...members }, { status }),
    );
    assertEquals(error, undefined);
    assertEquals(stored.refreshToken, refreshToken);
    const { expiresAt } = stored;
    if (expires === undefined) assertEquals(expiresAt, undefined);
    else {
      assert(expiresAt !== undefined);
      assert(expiresAt >= before + 3_600_000 && expiresAt <= Date.now() + 3_600_000);
    }
    assertEquals(
      reports.map((error) => [error.details, error.code, error.httpStatus, error.message]),
      report === undefined ? [] : [[
        { what: report, method: "token", server: ISSUER },
        "tolerated",
        status,
        `The server "${ISSUER}" deviates from the protocol: ${report} ("token")`,
      ]],
    );
  });
}

Deno.test("an unusual token response is reported once for each kind", async () => {
  const world = new OAuthWorld();
  const reports: string[] = [];
  const answers = [{}, { expires_in: null }, { expires_in: null, scope: null }, {}];
  let count = 0;
  world.answers[TOKEN] = () => {
    const token = { access_token: `t${count + 1}`, refresh_token: "r", token_type: "Bearer" };
    return Response.json({ ...token, ...answers[count++] }, { status: 201 });
  };
  const fetch = authorizedFetch({
    ...world.config,
    onError: (error) => {
      const isReport = error instanceof McpError && error.is("tolerated");
      reports.push(isReport ? error.details.what : String(error));
    },
  }, { resource: RESOURCE, fetch: world.fetch });
  for (const [index] of answers.entries()) {
    world.accepts = (token) => token === `t${index + 1}`;
    await (await fetch(RESOURCE, { method: "POST" })).text();
  }
  assertEquals(count, answers.length);
  assertEquals(reports, ["status 201", '"expires_in" is null', '"scope" is null']);
});

/**
 * Responses that are rejected: a function that creates one, and the reason and status of the error.
 */
const REJECTED: Readonly<Record<string, readonly [() => Response, string, number, number?]>> = {
  "200 without members": [
    () => Response.json({}),
    'returned an invalid token response: HTTP 200, and "access_token" is missing',
    200,
  ],
  "200 without a token type": [
    () => Response.json({ access_token: "t1" }),
    'returned an invalid token response: HTTP 200, and "token_type" is missing',
    200,
  ],
  "200 with another token type": [
    () => Response.json({ ...SUCCESS, token_type: "mac" }),
    'returned an invalid token response: HTTP 200, and "token_type" is not supported',
    200,
  ],
  "200 with a token that is a number": [
    () => Response.json({ ...SUCCESS, access_token: 1 }),
    'returned an invalid token response: HTTP 200, and "access_token" is not a string',
    200,
  ],
  "200 with a lifetime that is no number": [
    () => Response.json({ ...SUCCESS, expires_in: "soon" }),
    'returned an invalid token response: HTTP 200, and "expires_in" is not a number',
    200,
  ],
  "200 with a refresh token that is an object": [
    () => Response.json({ ...SUCCESS, refresh_token: {} }),
    'returned an invalid token response: HTTP 200, and "refresh_token" is not a string',
    200,
  ],
  "200 with a web page": [
    () => new Response("<html>planted</html>", { headers: { "content-type": "text/html" } }),
    "returned an invalid token response: HTTP 200, and the body is not a JSON object",
    200,
  ],
  "202 without a body": [
    () => new Response(null, { status: 202 }),
    "returned an invalid token response: HTTP 202, and the body is not a JSON object",
    202,
  ],
  "200 with an error": [
    () => Response.json({ error: "bad_verification_code", error_description: "expired" }),
    'rejected the token request: "bad_verification_code" ("expired")',
    200,
  ],
  "200 with an error and a token": [
    () => Response.json({ ...SUCCESS, error: "consent_required" }),
    'rejected the token request: "consent_required"',
    200,
  ],
  "200 with an error that is an object": [
    () => Response.json({ error: { message: "expired", code: 190 } }),
    'rejected the token request: HTTP 200: "{"message":"expired","code":190}"',
    200,
  ],
  "200 with an error that is a number": [
    () => Response.json({ error: 7, token: "planted" }),
    'rejected the token request: HTTP 200: "7"',
    200,
  ],
  "400 with another object": [
    () => Response.json({ message: "redirect mismatch" }, { status: 400 }),
    'rejected the token request: HTTP 400: "{"message":"redirect mismatch"}"',
    400,
  ],
  "400 with an error that is an object": [
    () => Response.json({ error: { status: "INVALID_ARGUMENT" } }, { status: 400 }),
    'rejected the token request: HTTP 400: "{"status":"INVALID_ARGUMENT"}"',
    400,
  ],
  "502 with a web page": [
    () => new Response("<html>bad\ngateway</html>", { status: 502 }),
    'rejected the token request: HTTP 502: "<html>bad\\u{a}gateway</html>"',
    502,
  ],
  "500 without a body": [
    () => new Response(null, { status: 500 }),
    "rejected the token request: HTTP 500",
    500,
  ],
  "429 with a delay with decimals": [
    () => new Response("slow down", { status: 429, headers: { "retry-after": "1.5" } }),
    'rejected the token request: HTTP 429: "slow down"',
    429,
    1500,
  ],
  "503 with a delay that is not valid": [
    () => Response.json({ error: "busy" }, { status: 503, headers: { "retry-after": "-1" } }),
    'rejected the token request: "busy"',
    503,
  ],
};

for (const [title, [answer, reason, httpStatus, retryAfterMs]] of Object.entries(REJECTED)) {
  Deno.test(`a token response with ${title} is rejected with its status and reason`, async () => {
    const { error } = await logIn(answer);
    assertEquals(error?.reason, `"${ISSUER}" ${reason}`);
    assertEquals([error?.httpStatus, error?.retryAfterMs], [httpStatus, retryAfterMs]);
    assert(error !== undefined && !error.text.includes("planted"));
  });
}

/** Bodies of 400 responses that echo the authorization code, and the quoted part of the error. */
const ECHOES: Readonly<Record<string, readonly [string, string]>> = {
  "as text": ["the code code-1 is unknown", "the code ... is unknown"],
  "in a form": [
    "grant_type=authorization_code&code=code-1&x=1",
    "grant_type=authorization_code&code=...&x=1",
  ],
  "at the end of 200 characters": [`${"é ".repeat(98)}code-1`, `${"é ".repeat(98)}...`],
  "across the end of 200 characters": [`${"é ".repeat(99)}code-1`, `${"é ".repeat(99)}..…`],
  "after 200 characters": [`${"é ".repeat(150)}code-1`, `${"é ".repeat(100)}…`],
};

for (const [title, [body, quoted]] of Object.entries(ECHOES)) {
  Deno.test(`a code that an error response echoes ${title} is removed from at most 200 characters`, async () => {
    const { error } = await logIn(() => new Response(body, { status: 400 }));
    const start = `"${ISSUER}" rejected the token request: HTTP 400: "`;
    assertEquals(error?.reason, `${start}${quoted}"`);
  });
}

Deno.test("a client key that cannot sign is not reported as an invalid token response", async () => {
  const { privateKey } = await crypto.subtle.generateKey(
    { name: "ECDH", namedCurve: "P-256" },
    false,
    ["deriveBits"],
  );
  const world = new OAuthWorld();
  const fetch = authorizedFetch(
    { ...world.config, clientId: "c", clientKey: { key: privateKey } },
    {
      resource: RESOURCE,
      fetch: world.fetch,
    },
  );
  const error = await assertRejects(
    () => fetch(RESOURCE, { method: "POST" }),
    McpError,
    `creating the token request for "${ISSUER}" failed`,
  );
  assert(error.cause instanceof Error);
  assertEquals([error.code, error.httpStatus, world.to(`${ISSUER}/token`)], [
    "auth_error",
    undefined,
    [],
  ]);
});

for (const strict of [false, true]) {
  Deno.test(`an unusual token response is accepted and reported by a client with strict: ${strict}`, async () => {
    const world = new OAuthWorld();
    world.answers[TOKEN] = () => Response.json(SUCCESS, { status: 201 });
    const server = new McpServer({ name: "s", version: "1.0.0" });
    const handler = mcpHandler(server, { allowedHosts: ["mcp.example"] });
    const reports: unknown[] = [];
    const client = new McpClient({
      transport: new HttpTransport(RESOURCE, {
        fetch: async (url, init) => {
          const isAuthorized = new Headers(init.headers).get("authorization") === "Bearer t1";
          if (url !== RESOURCE || !isAuthorized) return await world.fetch(url, init);
          return await handler(new Request(url, init));
        },
      }),
      auth: world.config,
      strict,
      onError: (error) => reports.push(error),
    });
    await client.connect();
    assertEquals(client.connected, true);
    const kinds = reports.map((error) =>
      error instanceof McpError && error.is("tolerated") && error.details.what
    );
    assertEquals(kinds, ["status 201"]);
    await client.disconnect();
    await handler.close();
  });
}
