/**
 * A third-party authorization server with token exchange, a gateway for its users, and an MCP
 * server behind the gateway, on loopback. All requests to the MCP server and to the authorization
 * server are recorded.
 *
 * @module
 */

import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { jwtVerifier, resourceServer, tokenExchange } from "@parley/mcp/auth";
import { McpClient } from "@parley/mcp/client";
import { mcpGateway } from "@parley/mcp/gateway";
import { toNodeListener } from "@parley/mcp/node";
import { mcpHandler, McpServer } from "@parley/mcp/server";
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";
import Provider from "oidc-provider";

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

/** Page on which users consent. No listener is needed, because no browser opens it. */
export const CONSENT_URL = "http://127.0.0.1:8910/consent";

/** Lifetime of tokens, in seconds. */
export const TOKEN_SECONDS = 3600;

/** Client credentials of the gateway. */
const GATEWAY = { client_id: "gateway", client_secret: "a secret of the gateway" } as const;

/** The running servers that {@linkcode startExchangeSetup} returns. */
export interface ExchangeSetup {
  /** URL of the gateway. */
  readonly gatewayUrl: string;
  /** URL of the MCP server behind the gateway. */
  readonly upstreamUrl: string;
  /** The exchanged tokens, with the subject that each was issued for. */
  readonly exchanged: { readonly subject: string; readonly token: string }[];
  /** Subjects for which the gateway has created a client. */
  readonly clients: (string | undefined)[];
  /** Requests to the MCP server: the access token of each, and all text of each. */
  readonly upstreamRequests: { readonly token: string; readonly text: string }[];
  /** All text of the requests to the authorization server, except those to its token endpoint. */
  readonly otherRequests: string[];
  /** Errors of the gateway that callers do not see. */
  readonly errors: string[];
  /** Rejects all exchanges with an error code until it is called with `undefined`. */
  readonly refuse: (error: string | undefined) => void;
  /** Sets the lifetime of tokens that are exchanged from this call onward, in seconds. */
  readonly setSeconds: (seconds: number) => void;
  /** Closes all servers. */
  readonly close: () => Promise<void>;
}

/**
 * Context of a token request. The `oidc-provider` package has no types.
 */
interface GrantContext {
  readonly oidc: {
    readonly params: Readonly<Record<string, string | undefined>>;
    readonly client: unknown;
  };
  status: number;
  body: unknown;
}

/** Starts the servers. */
export async function startExchangeSetup(): Promise<ExchangeSetup> {
  const servers = [createServer(), createServer(), createServer()];
  const [issuer = "", ...origins] = await Promise.all(servers.map(listen));
  const [gatewayUrl = "", upstreamUrl = ""] = origins.map((origin) => `${origin}/mcp`);
  const exchanged: ExchangeSetup["exchanged"] = [];
  const upstreamRequests: ExchangeSetup["upstreamRequests"] = [];
  const otherRequests: string[] = [];
  const state: { refusal: string | undefined; seconds: number } = {
    refusal: undefined,
    seconds: TOKEN_SECONDS,
  };
  const provider = createProvider(issuer, [gatewayUrl, upstreamUrl]);
  registerExchange(provider, { issuer, gatewayUrl, upstreamUrl, state, exchanged });
  const upstream = openUpstream(issuer, upstreamUrl);
  const gateway = await openGateway(issuer, gatewayUrl, upstreamUrl);
  const listeners: readonly RequestListener[] = [
    recording(provider.callback(), (request, body) => {
      if (request.url !== "/token") otherRequests.push(textOf(request, body));
    }),
    toNodeListener(gateway.handle),
    recording(toNodeListener(upstream.handle), (request, body) => {
      const [, token = ""] = (request.headers.authorization ?? "").split(" ");
      upstreamRequests.push({ token, text: textOf(request, body) });
    }),
  ];
  for (const [index, listener] of listeners.entries()) servers[index]?.on("request", listener);
  return {
    gatewayUrl,
    upstreamUrl,
    exchanged,
    clients: gateway.clients,
    upstreamRequests,
    otherRequests,
    errors: gateway.errors,
    refuse: (error) => state.refusal = error,
    setSeconds: (seconds) => state.seconds = seconds,
    close: async () => {
      await gateway.close();
      await upstream.close();
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function createProvider(issuer: string, resources: readonly string[]): Provider {
  return new Provider(issuer, {
    clients: [{
      ...GATEWAY,
      redirect_uris: [],
      response_types: [],
      grant_types: [TOKEN_EXCHANGE],
      token_endpoint_auth_method: "client_secret_basic",
    }],
    scopes: ["openid", "offline_access", "use"],
    features: {
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, resource: string) => {
          if (!resources.includes(resource)) throw new Error(`unknown resource ${resource}`);
          return resourceInfo(resource, TOKEN_SECONDS);
        },
      },
    },
    cookies: { keys: ["not a secret, for a test on loopback"] },
    pkce: { required: () => true },
  });
}

function resourceInfo(audience: string, accessTokenTTL: number): Readonly<Record<string, unknown>> {
  return { scope: "use", audience, accessTokenFormat: "jwt", accessTokenTTL };
}

/** Adds the grant of RFC 8693, which `oidc-provider` does not contain. */
function registerExchange(
  provider: Provider,
  { issuer, gatewayUrl, upstreamUrl, state, exchanged }: {
    readonly issuer: string;
    readonly gatewayUrl: string;
    readonly upstreamUrl: string;
    readonly state: { readonly refusal: string | undefined; readonly seconds: number };
    readonly exchanged: { readonly subject: string; readonly token: string }[];
  },
): void {
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  const refuse = (context: GrantContext, error: string): void => {
    context.status = 400;
    context.body = { error, error_description: "refused by the test" };
  };
  const exchange = async (context: GrantContext): Promise<void> => {
    const { oidc: { params, client } } = context;
    const { subject_token = "", subject_token_type, resource, scope = "use" } = params;
    const presented = await jwtVerify(subject_token, keys, { issuer, audience: gatewayUrl })
      .catch(() => ({ payload: {} as JWTPayload }));
    const { sub: subject, jti } = presented.payload;
    if (subject_token_type !== ACCESS_TOKEN || subject === undefined) {
      return refuse(context, "invalid_request");
    }
    if (resource !== upstreamUrl) return refuse(context, "invalid_target");
    if (state.refusal !== undefined) return refuse(context, state.refusal);
    const issued = new provider.AccessToken({
      accountId: subject,
      client,
      grantId: jti,
      gty: "token-exchange",
      scope,
    });
    issued.resourceServer = new provider.ResourceServer(
      upstreamUrl,
      resourceInfo(upstreamUrl, state.seconds),
    );
    const token = String(await issued.save());
    exchanged.push({ subject, token });
    context.body = {
      access_token: token,
      issued_token_type: ACCESS_TOKEN,
      token_type: "Bearer",
      expires_in: state.seconds,
      scope,
    };
  };
  const names = ["subject_token", "subject_token_type", "requested_token_type", "scope"];
  provider.registerGrantType(TOKEN_EXCHANGE, exchange, [...names, "resource", "audience"], [
    "resource",
    "audience",
  ]);
}

/** An HTTP handler, and a function that closes what it uses. */
interface OpenHandler {
  readonly handle: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}

function openUpstream(issuer: string, resource: string): OpenHandler {
  const server = new McpServer({ name: "calendar", version: "1.0.0" });
  server.registerTool(
    { name: "whoami", description: "Returns the principal" },
    (_args, { principal }) => ({ subject: principal?.subject, scopes: principal?.scopes }),
  );
  const handler = mcpHandler(server);
  const verify = jwtVerifier({ issuer });
  const handle = resourceServer(handler, { resource, authorizationServers: [issuer], verify });
  return { handle, close: () => handler.close() };
}

async function openGateway(
  issuer: string,
  resource: string,
  upstreamUrl: string,
): Promise<OpenHandler & Pick<ExchangeSetup, "clients" | "errors">> {
  const clients: ExchangeSetup["clients"] = [];
  const errors: string[] = [];
  const exchange = tokenExchange({
    tokenUrl: `${issuer}/token`,
    clientId: GATEWAY.client_id,
    clientSecret: GATEWAY.client_secret,
    consentUrl: CONSENT_URL,
  });
  const gateway = await mcpGateway({
    name: "gateway",
    version: "1.0.0",
    upstreams: {
      calendar: {
        client: ({ principal }) => {
          clients.push(principal?.subject);
          return new McpClient({
            transport: { type: "http", url: upstreamUrl },
            auth: { token: (wanted) => exchange(principal, wanted) },
          });
        },
      },
    },
    onError: (error) => errors.push(Deno.inspect(error, { depth: 20, strAbbreviateSize: 10_000 })),
  });
  const handler = mcpHandler(gateway.server);
  const handle = resourceServer(handler, {
    resource,
    authorizationServers: [issuer],
    verify: jwtVerifier({ issuer }),
    requiredScopes: ["use"],
  });
  const close = async (): Promise<void> => {
    await handler.close();
    await gateway.close();
  };
  return { handle, clients, errors, close };
}

/** Records each request when its body has arrived, without reading it in place of the listener. */
function recording(
  listener: RequestListener,
  record: (request: IncomingMessage, body: string) => void,
): RequestListener {
  return (request, response) => {
    const chunks: Uint8Array[] = [];
    const push = request.push.bind(request);
    request.push = (chunk, encoding) => {
      if (chunk === null) record(request, new TextDecoder().decode(join(chunks)));
      else chunks.push(chunk);
      return push(chunk, encoding);
    };
    return listener(request, response);
  };
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(chunks.flatMap((chunk) => [...chunk]));
}

function textOf({ method, url, rawHeaders }: IncomingMessage, body: string): string {
  return [method, url, ...rawHeaders, body].join("\n");
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) {
    throw new Error("Cannot listen: the server has no port");
  }
  return `http://127.0.0.1:${address.port}`;
}
