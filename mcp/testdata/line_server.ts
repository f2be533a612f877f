import type { StdioTransportOptions } from "../transport/stdio_pipe.ts";
import { Queue } from "../shared/bounded_queue.ts";
import { type Message, messageOf } from "./message.ts";

/** A server behind lines that answers with whatever text it is told to. */
export class LineServer {
  /** What it has been sent. */
  readonly seen: Message[] = [];
  readonly #lines = new Queue<string>();
  readonly #texts = this.#lines[Symbol.asyncIterator]();
  readonly #answer: (message: Message, server: LineServer) => void;

  constructor(answer: (message: Message, server: LineServer) => void) {
    this.#answer = answer;
  }

  /** What a StdioTransport takes. */
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
