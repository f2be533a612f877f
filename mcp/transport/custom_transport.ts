/**
 * Adapts a custom {@linkcode McpTransport} to a pipe. An `McpTransport` supports requests and
 * responses but not notifications.
 *
 * @module
 */

import { isRequest, type RpcMessage } from "../jsonrpc/message.ts";
import { type Frame, readMessage } from "../jsonrpc/read_frame.ts";
import type { McpTransport, Pipe } from "../jsonrpc/contracts.ts";
import { Queue } from "../shared/bounded_queue.ts";

const LABEL = "custom";

/**
 * Creates a pipe over a transport. Notifications, such as cancellations, are dropped, because an
 * `McpTransport` cannot send notifications.
 */
export function fromMcpTransport(transport: McpTransport): Pipe {
  return new TransportPipe(transport);
}

class TransportPipe implements Pipe {
  readonly label = LABEL;
  readonly frames: Queue<Frame> = new Queue();
  readonly #transport: McpTransport;

  constructor(transport: McpTransport) {
    this.#transport = transport;
    this.#read().catch((error) => this.frames.end(error));
  }

  async send(message: RpcMessage | readonly RpcMessage[]): Promise<void> {
    if ("method" in message && isRequest(message)) await this.#transport.send(message);
  }

  async close(): Promise<void> {
    this.frames.end();
    await this.#transport.close();
  }

  async #read(): Promise<void> {
    while (await this.frames.push(readMessage(await this.#transport.receive())));
  }
}
