/**
 * An in-memory JetStream server, for tests without a NATS server. Messages whose consumer
 * disappears are not delivered again.
 *
 * @module
 */

import type {
  NatsConsumerConfig,
  NatsConsumerInfo,
  NatsJetStream,
  NatsManager,
  NatsMessage,
  NatsMessages,
  NatsStreamConfig,
} from "../nats.ts";

interface Stored {
  readonly subject: string;
  readonly seq: number;
  readonly data: Uint8Array<ArrayBuffer>;
}

interface Stream {
  readonly config: NatsStreamConfig;
  readonly consumers: Map<string, Consumer>;
  stored: Stored[];
  lastSeq: number;
}

/** Creates a client for an empty server. */
export function memoryJetStream(): NatsJetStream {
  const streams = new Map<string, Stream>();
  const find = (name: string): Stream => streams.get(name) ?? fail(10059, "stream not found");
  const findConsumer = (stream: string, name: string): Consumer =>
    find(stream).consumers.get(name) ?? fail(10014, "consumer not found");
  const manager: NatsManager = {
    streams: {
      add: calls((config: NatsStreamConfig) => {
        streams.set(config.name, { config, consumers: new Map(), stored: [], lastSeq: 0 });
      }),
      update: calls((name, settings) => void Object.assign(find(name).config, settings)),
      info: calls((name) => {
        const { config, lastSeq } = find(name);
        return { config, state: { last_seq: lastSeq } };
      }),
      getMessage: calls((name, { seq }) =>
        find(name).stored.find((each) => each.seq >= seq) ?? fail(10037, "no message found")
      ),
      deleteMessage: calls((name, seq) => {
        const stream = find(name);
        stream.stored = stream.stored.filter((each) => each.seq !== seq);
        return true;
      }),
      purge: calls((name, { seq }) => {
        const stream = find(name);
        stream.stored = stream.stored.filter((each) => each.seq >= seq);
      }),
    },
    consumers: {
      add: calls((name, config) => {
        const stream = find(name);
        const consumer = new Consumer(config, stream);
        stream.consumers.set(consumer.name, consumer);
        return consumer.info();
      }),
      update: calls(findConsumer),
      info: calls((stream, name) => findConsumer(stream, name).info()),
      delete: calls((stream, name) => find(stream).consumers.delete(name)),
    },
  };
  return {
    jetstreamManager: calls(() => manager),
    consumers: { get: calls(findConsumer) },
    publish: calls((subject, payload) => {
      const isMatch = ({ config: { subjects } }: Stream): boolean =>
        subjects.some((pattern) => subject.startsWith(pattern.slice(0, -1)));
      const stream = [...streams.values()].find(isMatch) ?? fail(503, "no responders");
      const { stored, config } = stream;
      if (stored.some((each) => each.subject === subject)) fail(10071, "wrong last sequence");
      if (stored.length >= config.max_msgs) {
        if (config.discard === "new") fail(10077, "maximum messages exceeded");
        stored.shift();
      }
      const data = new TextEncoder().encode(payload);
      stored.push({ subject, seq: ++stream.lastSeq, data });
      for (const consumer of stream.consumers.values()) consumer.deliver();
    }),
  };
}

/** Returns an asynchronous function that rejects instead of throwing. */
function calls<A extends unknown[], R>(call: (...args: A) => R): (...args: A) => Promise<R> {
  // deno-lint-ignore require-await -- errors become rejections
  return async (...args) => call(...args);
}

function fail(code: number, message: string): never {
  throw Object.assign(new Error(message), { code });
}

/** A consumer, which delivers messages in the order of the stream to the oldest pull request. */
class Consumer {
  readonly name: string;
  readonly #config: NatsConsumerConfig;
  readonly #stream: Stream;
  readonly #deliveries = new Map<number, number>();
  /** Sequence numbers of messages that are not acknowledged. */
  readonly #pending = new Set<number>();
  /** Sequence numbers of messages that must be delivered again. */
  readonly #returned: number[] = [];
  readonly #pulls: ((message: NatsMessage) => void)[] = [];
  #lastSeq = 0;

  constructor(config: NatsConsumerConfig, stream: Stream) {
    this.name = config.durable_name ?? crypto.randomUUID();
    this.#config = config;
    this.#stream = stream;
  }

  info(): NatsConsumerInfo {
    const left = this.#stream.stored.filter(({ seq }) => seq > this.#lastSeq);
    const [first = this.#lastSeq + 1] = this.#pending;
    return {
      name: this.name,
      created: new Date().toISOString(),
      num_pending: left.length,
      num_ack_pending: this.#pending.size,
      delivered: { stream_seq: this.#lastSeq },
      ack_floor: { stream_seq: Math.min(first - 1, this.#lastSeq) },
    };
  }

  consume(): Promise<NatsMessages> {
    let [isStopped, cancel] = [false, () => {}];
    const pull = (): Promise<NatsMessage | undefined> =>
      new Promise((resolve) => {
        this.#pulls.push(resolve);
        cancel = () => {
          const index = this.#pulls.indexOf(resolve);
          if (index >= 0) this.#pulls.splice(index, 1);
          resolve(undefined);
        };
        this.deliver();
      });
    return Promise.resolve({
      stop() {
        isStopped = true;
        cancel();
      },
      async *[Symbol.asyncIterator]() {
        while (!isStopped) {
          const message = await pull();
          if (message !== undefined) yield message;
        }
      },
    });
  }

  /** Delivers messages while consumers' pull requests are pending. */
  deliver(): void {
    const { max_ack_pending = Infinity } = this.#config;
    while (this.#pulls.length > 0) {
      const isFull = this.#pending.size >= max_ack_pending;
      const seq = this.#returned.shift() ?? (isFull ? undefined : this.#takeNext());
      const stored = this.#stream.stored.find((each) => each.seq === seq);
      if (seq === undefined || stored === undefined) return;
      this.#pending.add(seq);
      const deliveryCount = (this.#deliveries.get(seq) ?? 0) + 1;
      this.#deliveries.set(seq, deliveryCount);
      this.#pulls.shift()?.(this.#toMessage(stored, deliveryCount));
    }
  }

  #takeNext(): number | undefined {
    const { filter_subject = "" } = this.#config;
    const [, , , partition] = filter_subject.split(".");
    const next = this.#stream.stored.find(({ seq, subject }) =>
      seq > this.#lastSeq && (partition === "*" || partition === subject.split(".")[3])
    );
    if (next !== undefined) this.#lastSeq = next.seq;
    return next?.seq;
  }

  #toMessage({ subject, seq, data }: Stored, deliveryCount: number): NatsMessage {
    let isSettled = false;
    return {
      subject,
      seq,
      data,
      info: { deliveryCount },
      working: () => {},
      ackAck: () => {
        this.#pending.delete(seq);
        isSettled = true;
        this.deliver();
        return Promise.resolve(true);
      },
      nak: (delayMs = 0) => {
        if (isSettled) return;
        isSettled = true;
        const deliverAgain = (): void => {
          this.#returned.push(seq);
          this.deliver();
        };
        if (delayMs > 0) setTimeout(deliverAgain, delayMs);
        else deliverAgain();
      },
    };
  }
}
