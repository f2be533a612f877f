import type { StdioTransportOptions } from "../transport/stdio_pipe.ts";
import { Queue } from "../shared/bounded_queue.ts";
import { type Message, messageOf } from "./message.ts";

/** A line-based server that writes whatever text the test provides. */
export class LineServer {
  /** Received messages. */
  readonly seen: Message[] = [];
  readonly #lines = new Queue<string>();
  readonly #texts = this.#lines[Symbol.asyncIterator]();
  readonly #answer: (message: Message, server: LineServer) => void;

  constructor(answer: (message: Message, server: LineServer) => void) {
    this.#answer = answer;
  }

  /** Options for a `StdioTransport` that is connected to this server. */
  get options(): StdioTransportOptions {
    return {
      reader: {
        readLine: async () => {
          const { done, value } = await this.#texts.next();
          return done ? null : value;
        },
      },
      writer: {
        writeLine: (line) => {
          const message = messageOf(JSON.parse(line));
          this.seen.push(message);
          this.#answer(message, this);
          return Promise.resolve();
        },
      },
    };
  }

  write(line: string): void {
    this.#lines.tryPush(line);
  }

  send(message: object): void {
    this.write(JSON.stringify(message));
  }

  end(): void {
    this.#lines.end();
  }
}
