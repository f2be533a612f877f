/**
 * Reads the bodies of HTTP requests.
 *
 * @module
 */

/** The text of a body, or the reason why it cannot be read. */
export type RequestBody =
  | { readonly text: string }
  | { readonly failure: "too_large" | "unreadable" };

/**
 * Reads the body of a request as UTF-8 text. A request without a body has an empty text. The rest
 * of a body that is too large is not read.
 *
 * @param maxBytes Maximum size of the body, in bytes.
 * @throws {TypeError} If the body was read before.
 */
export async function readRequestBody(request: Request, maxBytes: number): Promise<RequestBody> {
  if (request.bodyUsed) {
    throw new TypeError("Cannot read the body of the request: it was read before");
  }
  const reader = request.body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader?.read() ?? { done: true };
      if (done) return { text: await new Blob(chunks).text() };
      bytes += value.byteLength;
      if (bytes > maxBytes) break;
      chunks.push(value);
    }
  } catch {
    return { failure: "unreadable" };
  }
  // The rest of the body is not needed, so a failure of the connection does not matter.
  reader?.cancel().catch(() => {});
  return { failure: "too_large" };
}
