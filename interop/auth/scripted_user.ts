/**
 * A scripted user without a browser, who follows redirects, stores cookies and submits forms.
 *
 * @module
 */

import type { Authorize } from "@parley/mcp/auth";

/** Maximum number of pages in one login. */
const MAX_PAGES = 20;

/** A user who approves every request. Cookies are kept between logins. */
export class ScriptedUser {
  readonly #name: string;
  readonly #cookies = new Map<string, string>();
  /** Number of submitted login forms. */
  logins = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Completes the authorization code flow. */
  readonly authorize: Authorize = async (url, { signal }) => {
    const redirectUri = url.searchParams.get("redirect_uri") ?? "";
    let next = new Request(url, { signal });
    for (let page = 0; page < MAX_PAGES; page++) {
      const response = await this.#send(next);
      const location = response.headers.get("location");
      if (location !== null) {
        await response.body?.cancel();
        const target = new URL(location, next.url);
        if (target.href.startsWith(redirectUri)) return target;
        next = new Request(target, { signal });
        continue;
      }
      next = this.#fillIn(await response.text(), next.url, signal);
    }
    throw new Error(`Cannot log in: more than ${MAX_PAGES} pages`);
  };

  async #send(request: Request): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set("cookie", [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(new Request(request, { headers }), { redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }

  #fillIn(html: string, base: string, signal: AbortSignal): Request {
    const [, action = ""] = /<form[^>]* action="([^"]*)"/.exec(html) ?? [];
    if (action === "") {
      throw new Error(`Cannot log in: the page has no form: ${html.slice(0, 500)}`);
    }
    const body = new URLSearchParams();
    for (const [input] of html.matchAll(/<input[^>]*>/g)) {
      const name = /name="([^"]*)"/.exec(input)?.[1];
      if (name !== undefined) body.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? this.#name);
    }
    if (body.has("login")) this.logins++;
    return new Request(new URL(action, base), { method: "POST", body, signal });
  }
}
