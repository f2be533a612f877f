/**
 * Driver for the Parley libraries over stdio, on a simulated platform without `node:crypto`, on
 * which the libraries use WebCrypto. With `--without-web-crypto`, WebCrypto does not support
 * Ed25519 either, and the libraries use their JavaScript implementation of Ed25519 in all
 * operations.
 *
 *     deno run -A conformance/drivers/typescript/parley_on_other_platform.ts --without-web-crypto
 *
 * @module
 */

import process, { argv, env } from "node:process";
import { spawnServer } from "@parley/mcp/process";
import { createProgram } from "./create_program.ts";
import { fetchThroughNode } from "./node_listener.ts";
import { isFields } from "./operation.ts";
import { serveDriver } from "./serve_driver.ts";

/** Hides `node:crypto` from code that does not import it, as browsers and workers do. */
function hideNodeCrypto(): void {
  Object.defineProperty(process, "getBuiltinModule", { value: undefined });
}

/** Rejects the import of Ed25519 keys, as platforms without Ed25519 do. */
function hideEd25519(): void {
  const { importKey } = crypto.subtle;
  crypto.subtle.importKey = (...args: unknown[]) => {
    const [, , algorithm] = args;
    const name = isFields(algorithm) ? algorithm.name : algorithm;
    if (name === "Ed25519") {
      return Promise.reject(new DOMException("Unrecognized name", "NotSupportedError"));
    }
    return Reflect.apply(importKey, crypto.subtle, args);
  };
}

if (import.meta.main) {
  hideNodeCrypto();
  if (argv.includes("--without-web-crypto")) hideEd25519();
  await serveDriver(createProgram({ spawnServer, environment: env, fetchThroughNode }));
}
