/**
 * Checks the `@parley/mcp` client against third-party servers.
 *
 * @module
 */

import type { Subject } from "../check.ts";
import { PACKAGES } from "./packages.ts";
import { serverSubject } from "./server.ts";
import { SMALL_SERVERS } from "./small_servers.ts";

/** Checks for every third-party server with every transport. */
export const SERVERS: readonly Subject[] = [...SMALL_SERVERS, ...PACKAGES].map(serverSubject);
