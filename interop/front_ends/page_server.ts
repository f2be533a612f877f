/**
 * A server for a page in a browser, which forwards the requests of the page to a chat server.
 *
 * @module
 */

const HTML = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>Chat</title>
  <div id="root"></div>
  <script type="module" src="/page.js"></script>
</html>`;

/** Handles the requests that are not for the page or its script. */
export type PageHandler = (request: Request) => Response | Promise<Response>;

/** A running server. */
export interface PageServer extends AsyncDisposable {
  readonly origin: string;
}

/** Starts a server for a page. */
export function startPageServer(
  script: Uint8Array<ArrayBuffer>,
  handle: PageHandler,
): PageServer {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    switch (new URL(request.url).pathname) {
      case "/":
        return new Response(HTML, { headers: { "content-type": "text/html" } });
      case "/page.js":
        return new Response(script, { headers: { "content-type": "text/javascript" } });
      case "/favicon.ico":
        return new Response(null, { status: 204 });
      default:
        return handle(request);
    }
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Forwards a request to another server, as a reverse proxy does. */
export async function forward(request: Request, origin: string): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const { body, headers, method } = request;
  try {
    const response = await fetch(`${origin}${pathname}${search}`, { body, headers, method });
    return new Response(response.body, response);
  } catch {
    return new Response("Bad Gateway", { status: 502 });
  }
}

/** Bundles the script of a page. */
export async function bundlePage(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const config = new URL("../deno.json", import.meta.url).pathname;
  const page = new URL(name, import.meta.url).pathname;
  const flags = ["--quiet", "--frozen", "--platform", "browser", "--minify", "--config", config];
  const { success, stdout, stderr } = await new Deno.Command("deno", {
    args: ["bundle", ...flags, page],
  }).output();
  if (!success) throw new Error(`Cannot bundle ${name}: ${new TextDecoder().decode(stderr)}`);
  return stdout;
}
