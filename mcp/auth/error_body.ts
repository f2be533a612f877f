/**
 * Bodies of error responses of MCP servers.
 *
 * @module
 */

/**
 * Maximum length of a body, in characters. A body is searched as a whole, because a part of a
 * secret at the end of a part of the body would not be found.
 */
const MAX_CHARS = 256 * 1024;

/** Body that replaces a longer body. */
const TOO_LONG = "[error response that is too long to be searched for secrets]";

/** Content types that are text. A body without a content type is treated as text. */
const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?json\b|application\/problem\b)/i;

/**
 * Returns the response with a body from which secrets are removed as it is read. The text of an
 * error response becomes part of errors and logs, and a server may echo the request in it. A body
 * with more than 262,144 characters is replaced. Successful responses, and bodies that are not
 * text, are returned unchanged.
 *
 * @param hide Removes the secrets from a text.
 */
export function hideInErrorBody(response: Response, hide: (text: string) => string): Response {
  const { status, statusText, body } = response;
  const isText = TEXT.test(response.headers.get("content-type") ?? "text/plain");
  if (status < 400 || body === null || !isText) return response;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let text = "";
  const hidden = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        text += decoder.decode(chunk, { stream: true });
        if (text.length <= MAX_CHARS) return;
        controller.enqueue(encoder.encode(TOO_LONG));
        controller.terminate();
      },
      flush(controller) {
        controller.enqueue(encoder.encode(hide(text + decoder.decode())));
      },
    }),
  );
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  return new Response(hidden, { status, statusText: hide(statusText), headers });
}
