/**
 * Sockets: the one door to `node:net`.
 *
 * @module
 */

import { createServer } from "node:net";

/** A port that nobody listens on any more. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" ? address?.port ?? 0 : 0;
      server.close(() => resolve(port));
    });
  });
}
