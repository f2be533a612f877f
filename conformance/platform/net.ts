/**
 * TCP connections on the loopback interface. The only module that imports `node:net`.
 *
 * @module
 */

import { connect, createServer, type Server, type Socket } from "node:net";

const HOST = "127.0.0.1";

/** A TCP connection. */
export interface Connection {
  /** Resolves when the peer has ended the connection or the connection is closed. */
  readonly closed: Promise<void>;
  /** Registers the callback for received data. */
  read(onChunk: (chunk: Uint8Array) => void): void;
  /** Sends data. Errors are ignored if the connection is closed. */
  write(data: string | Uint8Array): void;
  /** Ends the sending side of the connection. */
  end(): void;
  /** Closes the connection immediately. */
  destroy(): void;
}

/** A listening socket. */
export interface Listener {
  /** Port that the socket listens on. */
  readonly port: number;
  /** Stops listening. Existing connections stay open. */
  close(): Promise<void>;
}

/** Listens on a free port. */
export function listenTcp(onConnection: (connection: Connection) => void): Promise<Listener> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => onConnection(toConnection(socket)));
    server.once("error", reject);
    server.listen(0, HOST, () => {
      resolve({
        port: portOf(server),
        close: () => new Promise((settle) => server.close(() => settle())),
      });
    });
  });
}

/** Connects to a port. */
export function connectTcp(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, HOST);
    socket.once("error", reject);
    socket.once("connect", () => resolve(toConnection(socket)));
  });
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const { port, close } = await listenTcp((connection) => connection.destroy());
  await close();
  return port;
}

function toConnection(socket: Socket): Connection {
  // Disables Nagle's algorithm, to send each line immediately instead of waiting for
  // acknowledgments.
  socket.setNoDelay(true);
  // Errors are ignored here, because a "close" event follows every error.
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => {
    socket.once("end", resolve);
    socket.once("close", () => resolve());
  });
  return {
    closed,
    read: (onChunk) => void socket.on("data", onChunk),
    write: (data) => void (socket.writable && socket.write(data)),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" ? address?.port ?? 0 : 0;
}
