import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { resourceServer, tokenExchange } from "../auth.ts";
import { HttpTransport, type InputHandlers, McpClient } from "../client.ts";
import { mcpHandler, McpServer, withConsent } from "../server.ts";
import { McpError } from "../shared/error.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { ISSUER, RESOURCE } from "../testdata/oauth.ts";
import { mcpGateway } from "./gateway.ts";

const API = "https://api.example";
const CONSENT = "https://login.example/consent";
const ERAS = ["modern", "2025-11-25"] as const;

/**
 * A gateway behind a resource server, and an upstream server that accepts only tokens of the
 * exchange. All requests are recorded.
 */
async function setUp() {
  const errors: string[] = [];
  const exchanged: (string | null)[] = [];
  const upstreamTokens: string[] = [];
  const state: { refusal: string | undefined; seconds: number; isLocked: boolean } = {
    refusal: undefined,
    seconds: 600,
    isLocked: false,
  };
  const exchange = tokenExchange({
    tokenUrl: `${ISSUER}/token`,
    clientId: "gateway",
    clientSecret: "s3cret",
    consentUrl: CONSENT,
    fetch: (_url, { body }) => {
      const form = new URLSearchParams(String(body));
      const subject = form.get("subject_token");
      const scope = form.get("scope");
      exchanged.push(subject);
      const { refusal, seconds } = state;
      if (refusal !== undefined) {
        return Promise.resolve(Response.json({ error: refusal }, { status: 400 }));
      }
      return Promise.resolve(Response.json({
        access_token: `api-${exchanged.length}-for-${subject}${scope === null ? "" : `-${scope}`}`,
        token_type: "Bearer",
        expires_in: seconds,
      }));
    },
  });
  const upstream = new McpServer({ name: "calendar", version: "1.0.0" });
  upstream.registerTool(
    { name: "today", description: "" },
    (_args, { principal }) => `free, ${principal?.subject}`,
  );
  upstream.registerTool({ name: "add", description: "", scopes: ["write"] }, () => "added");
  upstream.registerResource({ uri: "day://1", name: "day" }, (uri) => ({
    contents: [{ uri, text: "free" }],
  }));
  const upstreamHandler = mcpHandler(upstream, { allowedHosts: ["api.example"] });
  const guarded = resourceServer(upstreamHandler, {
    resource: `${API}/mcp`,
    authorizationServers: [ISSUER],
    verify: ({ token }) => {
      upstreamTokens.push(token);
      const [, subject, scope] = /^api-\d+-for-(\w+)(?:-(.*))?$/.exec(token) ?? [];
      if (subject === undefined || state.isLocked) return Promise.resolve(undefined);
      return Promise.resolve({ subject, scopes: scope?.split(" ") ?? [] });
    },
  });
  const gateway = await mcpGateway({
    name: "gateway",
    version: "1.0.0",
    upstreams: {
      calendar: {
        client: ({ principal }) =>
          new McpClient({
            transport: new HttpTransport(`${API}/mcp`, {
              fetch: (url, init) => guarded(new Request(url, init)),
            }),
            auth: { token: (wanted) => exchange(principal, wanted) },
          }),
      },
    },
    onError: (error) => errors.push(String(error)),
  });
  gateway.server.registerTool(
    { name: "own", description: "" },
    (_args, context) =>
      withConsent(context, () => exchange(context.principal, { audience: "own" })),
  );
  const handler = mcpHandler(gateway.server, { allowedHosts: ["mcp.example"] });
  const door = resourceServer(handler, {
    resource: RESOURCE,
    authorizationServers: [ISSUER],
    verify: ({ token }) =>
      Promise.resolve({ subject: token, scopes: [], expiresAt: Date.now() + 3_600_000 }),
  });
  const connect = async (
    token: string,
    protocol: typeof ERAS[number],
    handlers: InputHandlers = {},
  ) => {
    const fetch: HttpFetch = (url, init) => {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${token}`);
      return door(new Request(url, { ...init, headers }));
    };
    const transport = new HttpTransport(RESOURCE, { fetch });
    const client = new McpClient({ transport, protocol, handlers });
    await client.connect();
    return client;
  };
  return {
    connect,
    errors,
    exchanged,
    upstreamTokens,
    state,
    async [Symbol.asyncDispose]() {
      await handler.close();
      await gateway.close();
      await upstreamHandler.close();
    },
  };
}

/** Calls a tool, and returns the text of its result or the message of the error. */
async function call(client: McpClient, name: string): Promise<unknown> {
  try {
    const [block] = (await client.callTool(name, {})).content;
    return block?.type === "text" ? block.text : block;
  } catch (error) {
    return error instanceof McpError && error.is("protocol_error") ? error.details.reason : error;
  }
}

for (const protocol of ERAS) {
  Deno.test(`a gateway exchanges the token of each caller, and keeps it (${protocol})`, async () => {
    await using gateway = await setUp();
    const ada = await gateway.connect("ada", protocol);
    const bob = await gateway.connect("bob", protocol);
    assertEquals(await call(ada, "calendar_today"), "free, ada");
    assertEquals(await call(bob, "calendar_today"), "free, bob");
    assertEquals(await call(ada, "calendar_today"), "free, ada");
    assertEquals(gateway.exchanged, ["ada", "bob"]);
    assertEquals(
      new Set(gateway.upstreamTokens),
      new Set(["api-1-for-ada", "api-2-for-bob"]),
    );
    assertEquals(await call(ada, "own"), "api-3-for-ada");
    await ada.disconnect();
    await bob.disconnect();
  });

  Deno.test(`a failed exchange has one error for the caller, and a reason for the operator (${protocol})`, async () => {
    await using gateway = await setUp();
    gateway.state.refusal = "invalid_target";
    const ada = await gateway.connect("ada", protocol);
    assertEquals(
      await call(ada, "calendar_today"),
      'The server "calendar" did not authorize the gateway',
    );
    assertEquals(gateway.errors.length, 1);
    assert(gateway.errors[0]?.includes('"invalid_target"'), gateway.errors[0]);
    await ada.disconnect();
  });

  Deno.test(`a caller is requested to consent, and the call is repeated (${protocol})`, async () => {
    await using gateway = await setUp();
    gateway.state.refusal = "interaction_required";
    const opened: string[] = [];
    const ada = await gateway.connect("ada", protocol, {
      elicitUrl: ({ url, message }) => {
        opened.push(url, message);
        gateway.state.refusal = undefined;
        return Promise.resolve({ action: "accept" });
      },
    });
    assertEquals(await call(ada, "calendar_today"), "free, ada");
    assertEquals(opened, [CONSENT, "To continue, log in or consent at login.example"]);
    gateway.state.refusal = "consent_required";
    assertEquals(await call(ada, "own"), "api-4-for-ada");
    assertEquals(opened.length, 4);
    // One exchange fails and one succeeds for each request to consent.
    assertEquals(gateway.exchanged, ["ada", "ada", "ada", "ada"]);
    await ada.disconnect();
  });

  Deno.test(`a resource is read after the consent of the caller (${protocol})`, async () => {
    await using gateway = await setUp();
    gateway.state.refusal = "consent_required";
    const ada = await gateway.connect("ada", protocol, {
      elicitUrl: () => {
        gateway.state.refusal = undefined;
        return Promise.resolve({ action: "accept" });
      },
    });
    assertEquals((await ada.getResource("day://1")).contents, [{ uri: "day://1", text: "free" }]);
    await ada.disconnect();
  });

  for (const action of ["decline", "accept"] as const) {
    Deno.test(`without the consent, a call fails with the page to open: ${action} (${protocol})`, async () => {
      await using gateway = await setUp();
      gateway.state.refusal = "consent_required";
      const ada = await gateway.connect("ada", protocol, {
        elicitUrl: () => Promise.resolve({ action }),
      });
      const expected =
        `The server "calendar" can be used after you log in or consent at ${CONSENT}`;
      assertEquals(await call(ada, "calendar_today"), expected);
      gateway.state.refusal = undefined;
      // The user has consented without a further request.
      assertEquals(await call(ada, "calendar_today"), "free, ada");
      await ada.disconnect();
    });
  }

  Deno.test(`a client that cannot elicit receives the page to open (${protocol})`, async () => {
    await using gateway = await setUp();
    gateway.state.refusal = "consent_required";
    const ada = await gateway.connect("ada", protocol);
    const expected = `The server "calendar" can be used after you log in or consent at ${CONSENT}`;
    assertEquals(await call(ada, "calendar_today"), expected);
    await ada.disconnect();
  });
}

for (const protocol of ERAS) {
  Deno.test(`a tool that requires a scope is called with a token for the scope (${protocol})`, async () => {
    await using gateway = await setUp();
    const ada = await gateway.connect("ada", protocol);
    assertEquals(await call(ada, "calendar_add"), "added");
    assertEquals(await call(ada, "calendar_add"), "added");
    assertEquals(gateway.exchanged.length, 2);
    assertEquals(gateway.upstreamTokens.at(-1), "api-2-for-ada-write");
    await ada.disconnect();
  });

  Deno.test(`a server that rejects every token causes one exchange in 5 seconds (${protocol})`, async () => {
    using time = new FakeTime();
    await using gateway = await setUp();
    const ada = await gateway.connect("ada", protocol);
    assertEquals(await call(ada, "calendar_today"), "free, ada");
    gateway.state.isLocked = true;
    for (let count = 0; count < 20; count++) {
      const expected = 'The server "calendar" did not authorize the gateway';
      assertEquals(await call(ada, "calendar_today"), expected);
    }
    assertEquals(gateway.exchanged.length, 1);
    time.tick(5000);
    gateway.state.isLocked = false;
    assertEquals(await call(ada, "calendar_today"), "free, ada");
    await ada.disconnect();
  });
}

Deno.test("an exchange during a relayed call can require consent", async () => {
  using time = new FakeTime();
  await using gateway = await setUp();
  gateway.state.seconds = 31;
  let requests = 0;
  const ada = await gateway.connect("ada", "modern", {
    elicitUrl: () => {
      requests++;
      gateway.state.refusal = undefined;
      return Promise.resolve({ action: "accept" });
    },
  });
  assertEquals(await call(ada, "calendar_today"), "free, ada");
  time.tick(1000);
  gateway.state.refusal = "login_required";
  assertEquals(await call(ada, "calendar_today"), "free, ada");
  assertEquals(requests, 1);
  await ada.disconnect();
});

Deno.test("tokenExchange() rejects a page for consent that is not secure", async () => {
  const options = { tokenUrl: `${ISSUER}/token`, clientId: "gateway" };
  await assertRejects(
    () =>
      Promise.resolve().then(() => tokenExchange({ ...options, consentUrl: "http://x.example" })),
    McpError,
    '"consentUrl"',
  );
});
