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

/** Maximum number of ports on which a program is started. */
const MAX_PORTS = 3;

/** Errors of Node.js, Deno, Python, Go, Java and C programs that cannot listen on a port. */
const IN_USE = /EADDRINUSE|AddrInUse|address (is )?already in use/i;

/**
 * Starts a program on a free port. Another program can take the port before the program listens, so
 * a program that reports that the port is in use is started again on another port.
 *
 * @param start Starts the program. Rejects with the output of the program if it does not listen.
 */
export async function startOnFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let ports = 1;; ports++) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (ports === MAX_PORTS || !IN_USE.test(String(error))) throw error;
    }
  }
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
