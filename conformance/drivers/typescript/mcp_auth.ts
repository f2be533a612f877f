/**
 * The `mcp` authorization operations: a client accesses a protected server, and a server verifies
 * tokens. All web servers are scripted.
 *
 * @module
 */

import {
  type AuthConfig,
  authorizedFetch,
  type CredentialStore,
  type HttpFetch,
  identityAssertion,
  type IdentityAssertionOptions,
  jwtVerifier,
  type JwtVerifierOptions,
  memoryStore,
  resourceServer,
  type ResourceServerOptions,
  type TokenSourceConfig,
  type VerifiedToken,
} from "@parley/mcp/auth";
import { toErrorOutcome } from "./error_outcome.ts";
import { BadArgs, type Fields, fieldsOf, isFields, type Operation, textOf } from "./operation.ts";
import { ScriptedAuthWeb, toHeaders } from "./scripted_auth_web.ts";

/** Implementations of the operations, keyed by operation name. */
export const AUTH_OPS: Readonly<Record<string, Operation>> = {
  "mcp.auth.use": async ({ args, signal }) => {
    const web = new ScriptedAuthWeb(args);
    const resource = textOf(args, "resource");
    const store = toStore(fieldsOf(args, "store"));
    const wanted: object[] = [];
    const createClient = async (client: unknown): Promise<SendCall> => {
      const shared = isFields(client) ? { ...client, store } : {};
      const { tokens, ...members }: Fields = { ...fieldsOf(args, "config"), ...shared };
      const login = args.person === null ? {} : { authorize: web.authorize };
      const config = Array.isArray(tokens)
        ? { ...members, token: toTokenSource(tokens, wanted) }
        : { ...await toConfig(members), ...login };
      const fetch = authorizedFetch(config, { resource, fetch: web.fetch });
      return (call) => sendCall(fetch, resource, requestOf(args, call), { web, signal });
    };
    const outcomes: unknown[] = [];
    const clients: unknown[] = Array.isArray(args.clients) ? args.clients : [undefined];
    const calls = Array.from({ length: Number(args.calls) || 1 }, (_, call) => call);
    if (args.alternates === true) {
      const senders = await Promise.all(clients.map(createClient));
      for (const call of calls) for (const send of senders) outcomes.push(await send(call));
      return { outcomes, wanted, ...web.log };
    }
    for (const client of clients) {
      const send = await createClient(client);
      if (args.parallel === true) outcomes.push(...await Promise.all(calls.map(send)));
      else for (const call of calls) outcomes.push(await send(call));
    }
    return { outcomes, wanted, ...web.log };
  },
  "mcp.auth.protect": async ({ args }) => {
    const issuer = textOf(args, "issuer");
    const resource = textOf(args, "resource");
    const { url = resource, keys } = args;
    let principal: VerifiedToken | undefined;
    const server = resourceServer((_request, context) => {
      principal = context?.principal;
      return Promise.resolve(new Response());
    }, toServerOptions(args, { issuer, resource, keys }));
    const headers = toHeaders(fieldsOf(args, "headers"));
    const response = await server(new Request(String(url), { method: "POST", headers }));
    await response.body?.cancel();
    return {
      status: response.status,
      challenge: response.headers.get("www-authenticate"),
      principal: principal === undefined
        ? null
        : { subject: principal.subject, scopes: principal.scopes },
    };
  },
};

function toServerOptions(
  args: Fields,
  { issuer, resource, keys }: {
    readonly issuer: string;
    readonly resource: string;
    readonly keys: unknown;
  },
): ResourceServerOptions {
  // The options are passed unvalidated, because the library rejects invalid options.
  const verifier = fieldsOf(args, "verifier") as Partial<JwtVerifierOptions>;
  const server = fieldsOf(args, "server") as Partial<ResourceServerOptions>;
  const fetch = (): Promise<Response> => Promise.resolve(Response.json({ keys }));
  const verify = jwtVerifier({ issuer, jwksUri: `${issuer}/keys`, fetch, ...verifier });
  return { resource, authorizationServers: [issuer], verify, ...server };
}

/** Sends a request and returns its outcome. */
type SendCall = (call: number) => Promise<unknown>;

/** Features of the operations. */
export const AUTH_FEATURES: Readonly<Record<string, boolean>> = {
  "mcp.auth.options": true,
  "mcp.auth.protect": true,
  "mcp.auth.tokens": true,
};

/** Returns the description of a request. The last description is used for all later requests. */
function requestOf({ request = {} }: Fields, call: number): Fields {
  const requests: unknown[] = [request].flat();
  const found = requests[Math.min(call, requests.length - 1)];
  if (isFields(found)) return found;
  throw new BadArgs('"request" must be an object or an array of objects');
}

async function sendCall(
  fetch: HttpFetch,
  resource: string,
  request: Fields,
  { web, signal: end }: { readonly web: ScriptedAuthWeb; readonly signal: AbortSignal },
): Promise<unknown> {
  const { url = resource, method = "POST", streams, aborts } = request;
  const signal = aborts === true ? AbortSignal.any([end, web.waiting]) : end;
  const body = streams === true ? new Response("{}").body : method === "POST" ? "{}" : null;
  const headers = toHeaders(fieldsOf(request, "headers"));
  const init = { method: String(method), headers, body, signal };
  try {
    const response = await fetch(String(url), init);
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    const outcome = toErrorOutcome(error);
    if (!("error" in outcome)) throw error;
    return outcome;
  }
}

async function toConfig({ grant, clientKey, ...rest }: Fields): Promise<AuthConfig> {
  const members = {
    ...rest,
    ...(clientKey === true ? { clientKey: await generateKey() } : {}),
    ...toGrant(grant),
  };
  // The configuration is passed unvalidated, because the library rejects invalid configurations.
  return members as unknown as AuthConfig;
}

/** Returns one token after the other, and then the last token. Records what was wanted. */
function toTokenSource(
  tokens: readonly unknown[],
  wanted: object[],
): TokenSourceConfig["token"] {
  return ({ signal: _signal, ...rest }) => {
    wanted.push(rest);
    return String(tokens[Math.min(wanted.length, tokens.length) - 1]);
  };
}

async function generateKey(): Promise<object> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey } = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  return { key: privateKey, kid: "key-1" };
}

/** Creates the store that the clients share. */
function toStore({ fails, replace }: Fields): CredentialStore {
  const store = memoryStore();
  const [from = "\0", to = ""] = Array.isArray(replace) ? replace.map(String) : [];
  let loads = 0;
  return {
    load: async (key) => {
      const isFirst = ++loads === 1;
      if (fails === "load" || fails === (isFirst ? "firstLoad" : "laterLoads")) {
        throw new Error("the store cannot be read");
      }
      return (await store.load(key))?.replaceAll(from, to);
    },
    save: async (key, value) => {
      if (fails === "save" || (fails === "removal" && value === undefined)) {
        throw new Error("the store cannot be written");
      }
      await store.save(key, value);
    },
  };
}

function toGrant(grant: unknown): object {
  if (grant === undefined) return {};
  if (grant === "client_credentials") return { grant: { type: grant } };
  if (isFields(grant) && typeof grant.assertion === "string") {
    const { assertion } = grant;
    return { grant: { type: "jwt_bearer", assertion: () => assertion } };
  }
  if (isFields(grant) && isFields(grant.identity)) {
    return { grant: { type: "jwt_bearer", assertion: toAssertion(grant.identity) } };
  }
  throw new BadArgs(`unknown grant ${JSON.stringify(grant)}`);
}

function toAssertion({ subjectToken, ...rest }: Fields): ReturnType<typeof identityAssertion> {
  const options = {
    ...rest,
    subjectToken: isFields(subjectToken) ? () => String(subjectToken.returns) : subjectToken,
  };
  // The options are passed unvalidated, because the library rejects invalid options.
  return identityAssertion(options as unknown as IdentityAssertionOptions);
}
