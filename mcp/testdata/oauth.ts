import type { Authorize, DiscoveryConfig } from "../auth/config.ts";
import type { HttpFetch } from "../shared/http_types.ts";

export const RESOURCE = "https://mcp.example/mcp";
export const ISSUER = "https://login.example";
export const REDIRECT = "http://127.0.0.1:8910/callback";

/** A request as received by a simulated server. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  /** The body, parsed as a form. */
  readonly form: URLSearchParams;
}

type Answer = (request: Sent) => Response | Promise<Response>;

/** A simulated MCP server, authorization server and user. Tests can override each response. */
export class OAuthWorld {
  /** All received requests. */
  readonly sent: Sent[] = [];
  /** Authorization URLs that the user has visited. */
  readonly logins: URL[] = [];
  /** Overridden responses, keyed by method and URL without query. */
  readonly answers: Record<string, Answer> = {};
  /** Additional authorization server metadata. */
  metadata: Record<string, unknown> = {};
  /** Additional protected resource metadata. */
  resource: Record<string, unknown> = {};
  /** Returns `true` if the MCP server accepts a token. */
  accepts: (token: string, request: Sent) => boolean = () => true;
  /** The MCP server's `WWW-Authenticate` challenge. */
  challenge =
    'Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"';
  /** Additional parameters of the authorization response. */
  callback: Record<string, string> = { iss: ISSUER };
  /** Additional members of the token response. */
  grant: Record<string, unknown> = { refresh_token: "refresh-1" };
  #tokens = 0;

  readonly fetch: HttpFetch = async (url, init) => {
    init.signal?.throwIfAborted();
    const request = new Request(url, { method: init.method ?? "GET", headers: init.headers ?? {} });
    const body = typeof init.body === "string" ? init.body : String(init.body ?? "");
    const sent = {
      method: request.method,
      url,
      headers: request.headers,
      body,
      form: new URLSearchParams(body),
    };
    this.sent.push(sent);
    const { origin, pathname } = new URL(url);
    const answer = this.answers[`${request.method} ${origin}${pathname}`] ??
      this.#usual[`${request.method} ${origin}${pathname}`];
    return await answer?.(sent) ?? new Response("nothing here", { status: 404 });
  };

  /** A user who approves every authorization request. */
  readonly authorize: Authorize = (url) => {
    this.logins.push(url);
    const callback = new URL(url.searchParams.get("redirect_uri") ?? "");
    const state = url.searchParams.get("state") ?? "";
    const members = { code: `code-${this.logins.length}`, state, ...this.callback };
    for (const [name, value] of Object.entries(members)) callback.searchParams.set(name, value);
    return Promise.resolve(callback);
  };

  /** The default client configuration. */
  get config(): DiscoveryConfig {
    return { discover: true, redirectUri: REDIRECT, authorize: this.authorize };
  }

  /** Returns the requests to a URL. */
  to(address: string): Sent[] {
    return this.sent.filter(({ url }) => url === address);
  }

  readonly #usual: Readonly<Record<string, Answer>> = {
    "GET https://mcp.example/.well-known/oauth-protected-resource/mcp": () =>
      Response.json({ resource: RESOURCE, authorization_servers: [ISSUER], ...this.resource }),
    "GET https://login.example/.well-known/oauth-authorization-server": () =>
      Response.json({
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/authorize`,
        token_endpoint: `${ISSUER}/token`,
        registration_endpoint: `${ISSUER}/register`,
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        ...this.metadata,
      }),
    "POST https://login.example/register": () =>
      Response.json({ client_id: "registered-1" }, { status: 201 }),
    "POST https://login.example/token": () =>
      Response.json({
        access_token: `token-${++this.#tokens}`,
        token_type: "Bearer",
        ...this.grant,
      }),
    "POST https://mcp.example/mcp": (request) => {
      const [, token] = (request.headers.get("authorization") ?? "").split(" ");
      if (token !== undefined && this.accepts(token, request)) return new Response(token);
      return new Response("no", {
        status: 401,
        headers: { "www-authenticate": this.challenge },
      });
    },
  };
}
