/**
 * A pair of joined WebSockets, over Deno's server on loopback.
 *
 * @module
 */

/** The two sides of one connection. */
export interface SocketPair {
  /** The side that called. */
  readonly socket: WebSocket;
  /** The side that was called; binary frames arrive there as ArrayBuffers. */
  readonly peer: WebSocket;
  /** Ends the server behind them. */
  readonly close: () => Promise<void>;
}

/** Joins two WebSockets. */
export async function openSocketPair(): Promise<SocketPair> {
  const joined = Promise.withResolvers<WebSocket>();
  const where = { hostname: "127.0.0.1", port: 0, onListen: (): void => {} };
  const server = Deno.serve(where, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => joined.resolve(socket));
    return response;
  });
  const socket = new WebSocket(`ws://127.0.0.1:${server.addr.port}`);
  return { socket, peer: await joined.promise, close: () => server.shutdown() };
}
