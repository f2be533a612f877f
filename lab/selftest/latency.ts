/**
 * A slow network between the kit and a server: everything arrives late, in the same order.
 *
 * @module
 */

import type { HttpReply, HttpRequest } from "../../conformance/platform/http.ts";

/**
 * Creates a function that performs actions after a delay. Actions with the same delay keep their
 * order.
 */
export function createDelay(ms: number | undefined): (act: () => void) => void {
  return (act) => {
    if (ms === undefined) act();
    else setTimeout(act, ms);
  };
}

/** Delays a request, its response, and the end of its connection. */
export async function delayHttp(
  request: HttpRequest,
  reply: HttpReply,
  ms: number,
): Promise<{ readonly request: HttpRequest; readonly reply: HttpReply }> {
  const later = createDelay(ms);
  const controller = new AbortController();
  request.signal.addEventListener("abort", () => later(() => controller.abort()), { once: true });
  await new Promise<void>((resolve) => later(resolve));
  return {
    request: { ...request, signal: controller.signal },
    reply: {
      head: (status, headers) => later(() => reply.head(status, headers)),
      write: (chunk) => later(() => reply.write(chunk)),
      end: () => later(() => reply.end()),
      drop: () => later(() => reply.drop()),
    },
  };
}
