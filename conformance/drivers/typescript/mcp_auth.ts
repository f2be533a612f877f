/**
 * The `mcp` authorization operation: a client accesses a protected server. All web servers are scripted.
 *
 * @module
 */

import { type AuthConfig, authorizedFetch, McpError } from "@parley/mcp/auth";
import { BadArgs, type Fields, fieldsOf, isFields, type Operation, textOf } from "./operation.ts";

/** A request to the scripted servers. */
interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** Implementations of the operations, keyed by operation name. */
export const AUTH_OPS: Readonly<Record<string, Operation>> = {
  "mcp.auth.use": async ({ args, signal }) => {
    const world = new World(fieldsOf(args, "web"), args.person);
    const resource = textOf(args, "resource");
    const options = { resource, fetch: world.fetch };
    const fetch = authorizedFetch(toConfig(fieldsOf(args, "config"), world), options);
    const outcomes: object[] = [];
    for (let call = 0; call < (Number(args.calls) || 1); call++) {
      outcomes.push(
        await fetch(resource, { method: "POST", body: "{}", signal }).then(
          async (response) => {
            await response.body?.cancel();
            return { status: response.status };
          },
          toOutcome,
        ),
      );
    }
    return { outcomes, requests: world.seen, logins: world.logins, proven: world.proven };
  },
};

function toOutcome(error: unknown): object {
  if (!(error instanceof McpError)) throw error;
  return { error: { code: error.code, message: error.message } };
}

/** The servers in a case, and the user. */
class World {
  readonly seen: Seen[] = [];
  readonly logins: object[] = [];
  readonly proven: boolean[] = [];
  readonly #web: ReadonlyMap<string, unknown[]>;
  readonly #person: unknown;
  #challenge = "";

  constructor(web: Fields, person: unknown) {
    this.#web = new Map(Object.entries(web).map(([route, answers]) => [route, [answers].flat()]));
    this.#person = person;
  }

  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { method = "GET", body } = init;
    const headers = Object.fromEntries(new Headers(init.headers));
    const text = body === undefined || body === null ? "" : String(body);
    const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
    const form = isForm ? Object.fromEntries(new URLSearchParams(text)) : undefined;
    this.seen.push({
      method,
      url,
      headers,
      ...(form === undefined ? {} : { form }),
      ...(text.startsWith("{") ? { json: JSON.parse(text) } : {}),
    });
    if (form?.code_verifier !== undefined) await this.#check(form.code_verifier);
    const answers = this.#web.get(`${method} ${url}`) ?? [];
    return toResponse(answers.length > 1 ? answers.shift() : answers[0]);
  };

  /** Runs the user's login as scripted in the case. */
  readonly authorize = (url: URL): Promise<URL> => {
    const query = Object.fromEntries(url.searchParams);
    this.#challenge = query.code_challenge ?? "";
    this.logins.push({ endpoint: `${url.origin}${url.pathname}`, query });
    const callback = new URL(query.redirect_uri ?? "");
    const given = isFields(this.#person) ? this.#person : {};
    const members = { code: "code-1", state: query.state, ...given };
    for (const [name, value] of Object.entries(members)) {
      if (typeof value === "string") callback.searchParams.set(name, value);
    }
    return Promise.resolve(callback);
  };

  get hasPerson(): boolean {
    return this.#person !== null;
  }

  async #check(verifier: string): Promise<void> {
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    const text = btoa(String.fromCharCode(...new Uint8Array(hash)));
    const challenge = text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    this.proven.push(challenge === this.#challenge);
  }
}

function toResponse(answer: unknown): Response {
  if (!isFields(answer)) return new Response(null, { status: 404 });
  const { status = 200, headers = {}, json, text = "", padToBytes } = answer;
  const init = {
    status: Number(status),
    headers: Object.fromEntries(
      Object.entries(isFields(headers) ? headers : {}).map(
        ([name, value]) => [name, String(value)],
      ),
    ),
  };
  const body = json === undefined ? String(text) : JSON.stringify(json);
  return new Response(body.padEnd(Number(padToBytes) || 0), init);
}

function toConfig(config: Fields, world: World): AuthConfig {
  const { grant, ...rest } = config;
  const login = world.hasPerson ? { authorize: world.authorize } : {};
  // The configuration is passed unvalidated, because the library rejects invalid configurations.
  return { ...rest, ...login, ...toGrant(grant) } as unknown as AuthConfig;
}

function toGrant(grant: unknown): object {
  if (grant === undefined) return {};
  if (grant === "client_credentials") return { grant: { type: grant } };
  if (isFields(grant) && typeof grant.assertion === "string") {
    const { assertion } = grant;
    return { grant: { type: "jwt_bearer", assertion: () => assertion } };
  }
  throw new BadArgs(`unknown grant ${JSON.stringify(grant)}`);
}
