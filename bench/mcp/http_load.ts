/**
 * A minimal HTTP client, which keeps the load generator's influence on the measured server small.
 *
 * @module
 */

import { connect, type Socket } from "node:net";

const HEAD_END = "\r\n\r\n";

/** An HTTP response with the properties that the benchmark needs. */
export interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** A persistent connection that reconnects if the server closes it between two requests. */
export class HttpConnection {
  readonly #port: number;
  #socket: Socket | undefined;
  #text = "";
  #wake: (() => void) | undefined;

  /** Creates a connection to a loopback port. The connection opens with the first request. */
  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a POST request. Returns the complete response. */
  async post(headers: Readonly<Record<string, string>>, body: string): Promise<RawResponse> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    this.#socket ??= this.#open();
    this.#socket.write(
      `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${this.#port}\r\n${lines}` +
        `content-length: ${body.length}${HEAD_END}${body}`,
    );
    while (true) {
      const response = this.#take();
      if (response !== undefined) return response;
      if (this.#socket === undefined) {
        throw new Error("Cannot read the response: the server closed the connection");
      }
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  /** Closes the connection. */
  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect(this.#port, "127.0.0.1");
    socket.setNoDelay(true);
    // Each character of the response text is one byte, because the server sends only ASCII.
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      this.#text += chunk;
      this.#wake?.();
    });
    const onClose = (): void => {
      this.#socket = undefined;
      this.#wake?.();
    };
    socket.on("close", onClose);
    socket.on("error", onClose);
    return socket;
  }

  /** Returns the response, or `undefined` if it is not complete yet. */
  #take(): RawResponse | undefined {
    const headEnd = this.#text.indexOf(HEAD_END);
    if (headEnd === -1) return undefined;
    const head = this.#text.slice(0, headEnd);
    const start = headEnd + HEAD_END.length;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    const end = length === undefined ? this.#endOfChunks(start, head) : start + Number(length);
    if (end === undefined || this.#text.length < end) return undefined;
    const body = this.#text.slice(start, end);
    this.#text = this.#text.slice(end);
    return { status: Number(head.slice(9, 12)), head, body };
  }

  #endOfChunks(start: number, head: string): number | undefined {
    if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return start;
    const last = "0\r\n\r\n";
    // The search starts at the line break that ends the response head, because the final chunk may
    // be the only chunk.
    const end = this.#text.indexOf(`\r\n${last}`, start - 2);
    return end === -1 ? undefined : end + 2 + last.length;
  }
}
