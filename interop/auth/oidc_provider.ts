/**
 * A third-party authorization server and an MCP server that it protects, on loopback.
 *
 * @module
 */

import { createServer, type Server } from "node:http";
import { mcpHandler, McpServer } from "@parley/mcp/server";
import { toNodeListener } from "@parley/mcp/node";
import {
  introspectionVerifier,
  jwtVerifier,
  resourceServer,
  type TokenVerifier,
} from "@parley/mcp/auth";
import Provider from "oidc-provider";

/** Format of access tokens: self-contained (`jwt`) or verified by introspection (`opaque`). */
export type TokenFormat = "jwt" | "opaque";

/** Lifetime of a token, in seconds. */
export const TOKEN_SECONDS = 3600;

/** The running authorization server and MCP server that {@linkcode startOidcSetup} returns. */
export interface OidcSetup {
  /** Issuer identifier of the authorization server. */
  readonly issuer: string;
  /** URL of the protected MCP server. */
  readonly resource: string;
  /** Number of token requests, keyed by grant type. */
  readonly grants: Map<string, number>;
  /** Returns the number of logins whose tokens the authorization server has revoked. */
  readonly revocations: () => number;
  /** Handles a request to the MCP server. */
  readonly handle: (request: Request) => Promise<Response>;
  /** Sets the lifetime of tokens issued from this call onward, in seconds. */
  readonly setSeconds: (seconds: number) => void;
  /** Closes the authorization server and the MCP server. */
  readonly close: () => Promise<void>;
}

/** Client credentials that the MCP server uses to introspect tokens. */
const SERVER_CLIENT = { client_id: "mcp-server", client_secret: "a secret of the server" } as const;

/**
 * Event that the authorization server emits after a successful grant. The `oidc-provider` package
 * has no types.
 */
interface GrantEvent {
  readonly oidc: { readonly params?: Readonly<Record<string, unknown>> };
}

/** Starts the authorization server and the MCP server. */
export async function startOidcSetup(format: TokenFormat): Promise<OidcSetup> {
  const issuers = createServer();
  const resources = createServer();
  const issuer = await listen(issuers);
  const resource = `${await listen(resources)}/mcp`;
  const grants = new Map<string, number>();
  let seconds = TOKEN_SECONDS;
  const provider = new Provider(issuer, {
    clients: [{
      ...SERVER_CLIENT,
      redirect_uris: [],
      response_types: [],
      grant_types: [],
      token_endpoint_auth_method: "client_secret_basic",
    }, {
      client_id: "robot",
      client_secret: "a secret of the robot",
      redirect_uris: [],
      response_types: [],
      grant_types: ["client_credentials"],
      token_endpoint_auth_method: "client_secret_post",
    }],
    scopes: ["openid", "offline_access", "use", "write"],
    features: {
      clientCredentials: { enabled: true },
      dPoP: { enabled: true },
      introspection: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: "use write",
          audience: resource,
          accessTokenFormat: format,
          accessTokenTTL: seconds,
        }),
      },
      revocation: { enabled: true },
    },
    ttl: { ClientCredentials: () => seconds },
    cookies: { keys: ["not a secret, for a test on loopback"] },
    pkce: { required: () => true },
  });
  provider.on("grant.success", ({ oidc }: GrantEvent) => {
    const grant = String(oidc.params?.grant_type);
    grants.set(grant, (grants.get(grant) ?? 0) + 1);
  });
  let revocations = 0;
  provider.on("grant.revoked", () => revocations++);
  issuers.on("request", provider.callback());

  const handler = mcpHandler(protectedServer());
  const handle = resourceServer(handler, {
    resource,
    authorizationServers: [issuer],
    verify: verifierOf(format, issuer),
    requiredScopes: ["use"],
  });
  resources.on("request", toNodeListener(handle));
  return {
    issuer,
    resource,
    grants,
    revocations: () => revocations,
    handle,
    setSeconds: (value) => seconds = value,
    close: async () => {
      await handler.close();
      for (const server of [issuers, resources]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function verifierOf(format: TokenFormat, issuer: string): TokenVerifier {
  if (format === "jwt") return jwtVerifier({ issuer });
  const { client_id: clientId, client_secret: clientSecret } = SERVER_CLIENT;
  return introspectionVerifier({
    introspectionUrl: `${issuer}/token/introspection`,
    clientId,
    clientSecret,
  });
}

function protectedServer(): McpServer {
  const server = new McpServer({ name: "private", version: "1.0.0" });
  server.registerTool(
    { name: "whoami", description: "Returns the principal" },
    (_args, { principal }) => ({ subject: principal?.subject, scopes: principal?.scopes }),
  );
  server.registerTool(
    { name: "write", description: "Requires another scope", scopes: ["write"] },
    () => "written",
  );
  return server;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) {
    throw new Error("Cannot listen: the server has no port");
  }
  return `http://127.0.0.1:${address.port}`;
}
