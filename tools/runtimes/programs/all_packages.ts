/**
 * Uses all packages, on every platform with Web APIs.
 *
 * @module
 */

import { useComm, useWebSocket } from "./comm.ts";
import { useMcpClient } from "./mcp.ts";
import { useAgent, useChatModel } from "./runtime.ts";

/**
 * Uses all packages.
 *
 * @param origin origin of the test server
 * @returns the signature that {@linkcode useComm} returns
 */
export async function useEverything(origin: string): Promise<string> {
  const signature = await useComm();
  await useWebSocket(`${origin.replace("http", "ws")}/ws`);
  await useAgent();
  await useChatModel(`${origin}/v1`);
  await useMcpClient(`${origin}/mcp`);
  return signature;
}

/** Removes Ed25519 from this platform's WebCrypto. */
export function removeEd25519(): void {
  for (const name of ["importKey", "generateKey"] as const) {
    const original = crypto.subtle[name];
    Object.defineProperty(crypto.subtle, name, {
      value: (...args: readonly unknown[]): unknown =>
        JSON.stringify(args).includes("Ed25519")
          ? Promise.reject(new DOMException("Unrecognized name", "NotSupportedError"))
          : Reflect.apply(original, crypto.subtle, args),
    });
  }
}
