/**
 * Messages over HTTP: each message is the body of a POST request.
 *
 * {@linkcode httpEndpoint} creates a transport and the handler that receives its messages. The
 * endpoint does not verify messages; the receiver must. Use `https` URLs: signatures do not encrypt
 * messages.
 *
 * @example Send a request over HTTP from an agent that has no URL
 * ```ts
 * import { generateSigner } from "@parley/comm";
 * import { httpEndpoint } from "@parley/comm/http";
 * import { createVerifier, ReplayGuard } from "@parley/comm/policy";
 * import { createPeer } from "@parley/comm/requests";
 * import { assertEquals } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * const bobEnd = httpEndpoint({ urlOf: () => undefined, replyWaitMs: 10_000 });
 * const server = Deno.serve(
 *   { hostname: "127.0.0.1", port: 0, onListen: () => {} },
 *   bobEnd.handler,
 * );
 * const bobPeer = createPeer({
 *   signer: bob,
 *   verifier: createVerifier({ recipient: bob.did, replayGuard: new ReplayGuard() }),
 *   transport: bobEnd.transport,
 *   protocol: "agent.task.v1",
 * });
 * bobPeer.serve(({ payload }) => ({ echo: payload }));
 *
 * const urls = new Map([[bob.did, new URL(`http://127.0.0.1:${server.addr.port}/`)]]);
 * const annPeer = createPeer({
 *   signer: ann,
 *   verifier: createVerifier({ recipient: ann.did, replayGuard: new ReplayGuard() }),
 *   transport: httpEndpoint({ urlOf: (did) => urls.get(did) }).transport,
 *   protocol: "agent.task.v1",
 * });
 * try {
 *   assertEquals(await annPeer.request(bob.did, "hello"), { echo: "hello" });
 * } finally {
 *   await Promise.all([annPeer.close(), bobPeer.close()]);
 *   await server.shutdown();
 * }
 * ```
 *
 * @module
 */

export { type HttpEndpoint, httpEndpoint } from "./transport/http.ts";
export type { HttpEndpointOptions } from "./transport/http_options.ts";
export type { MessageTransport, TransportOptions } from "./transport/transport.ts";
