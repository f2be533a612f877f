/**
 * Validates the server argument of serving functions.
 *
 * @module
 */

import { assertFunction, assertObject } from "@parley/internal/assert-argument";
import type { ServerCore } from "../server/server_core.ts";

/**
 * Throws if a value is not a server.
 *
 * @throws {TypeError} If the value is not a server.
 */
export function assertServer(server: ServerCore): void {
  assertObject("server", server);
  assertFunction("server.exchange", server.exchange);
}
