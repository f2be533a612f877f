/**
 * Sockets on loopback: the one door to `node:net`.
 *
 * @module
 */

import { connect, createServer, type Server, type Socket } from "node:net";

const HOST = "127.0.0.1";

/** One end of a connection. */
export interface Connection {
  /** Resolves when the other side has ended or the connection is gone. */
  readonly closed: Promise<void>;
  /** Hands on what comes, from now on. */
  read(onChunk: (chunk: Uint8Array) => void): void;
  /** Sends bytes; a connection that is gone is not an error. */
  write(data: string | Uint8Array): void;
  /** Ends this side. */
  end(): void;
  /** Drops the connection. */
  destroy(): void;
}

/** A listening socket. */
export interface Listener {
  /** The port. */
  readonly port: number;
  /** Stops listening; connections live on. */
  close(): Promise<void>;
}

/** Listens on any free port. */
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

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const { port, close } = await listenTcp((connection) => connection.destroy());
  await close();
  return port;
}

function toConnection(socket: Socket): Connection {
  // A line is wanted at once, not when the one before it has been acknowledged.
  socket.setNoDelay(true);
  // What goes wrong shows in "close", which always comes.
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
