/**
 * A load balancer that sends each request to the next replica in turn.
 *
 * @module
 */

/** A load balancer for MCP replicas. */
export interface Balancer extends AsyncDisposable {
  /** URL of the load balancer. */
  readonly url: string;
  /** Adds a replica. */
  add(name: string, url: string): void;
  /** Removes a replica. */
  remove(name: string): void;
}

/** Starts a load balancer on loopback. */
export function startBalancer(): Balancer {
  const replicas = new Map<string, string>();
  let count = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const replica = [...replicas.values()][count++ % replicas.size];
    return replica === undefined ? new Response(null, { status: 503 }) : forward(request, replica);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    add: (name, url) => void replicas.set(name, url),
    remove: (name) => void replicas.delete(name),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/**
 * Forwards a request. A failed request is not sent again, because a replica may have executed it.
 */
async function forward(request: Request, replica: string): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const { body, headers, method, signal } = request;
  try {
    return await fetch(`${replica}${pathname}${search}`, { body, headers, method, signal });
  } catch {
    return new Response(null, { status: 502 });
  }
}
