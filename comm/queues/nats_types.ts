/**
 * The parts of `@nats-io/jetstream` 3 that message queues use, as structural types. Durations are
 * in nanoseconds.
 *
 * @module
 */

/** A JetStream client, as returned by the function `jetstream` from `@nats-io/jetstream`. */
export interface NatsJetStream {
  /** Access to consumers. */
  readonly consumers: NatsConsumers;
  /** Stores a message. Rejects if the server does not confirm the message. */
  publish(subject: string, payload: string, options: NatsPublishOptions): Promise<unknown>;
  /** Returns the manager for streams and consumers. */
  jetstreamManager(): Promise<NatsManager>;
}

/** Options for `publish`. */
export interface NatsPublishOptions {
  /**
   * The message is stored only if the last message with the same subject has this sequence number.
   */
  readonly expect: { readonly lastSubjectSequence: number };
}

/** Access to consumers. */
export interface NatsConsumers {
  /** Returns a consumer of a stream. */
  get(stream: string, name: string): Promise<NatsConsumer>;
}

/** A pull consumer. */
export interface NatsConsumer {
  /** Starts to pull messages. */
  consume(options: { max_messages: number }): Promise<NatsMessages>;
}

/** Messages that a consumer pulls. The iteration ends when the connection is closed. */
export interface NatsMessages extends AsyncIterable<NatsMessage> {
  /** Ends the iteration. */
  stop(): void;
}

/** A delivered message. */
export interface NatsMessage {
  /** Subject of the message. */
  readonly subject: string;
  /** Sequence number of the message in the stream. */
  readonly seq: number;
  /** Content of the message. */
  readonly data: Uint8Array;
  /** Number of deliveries, including this one. */
  readonly info: { readonly deliveryCount: number };
  /** Acknowledges the message and waits for the confirmation. */
  ackAck(): Promise<boolean>;
  /** Requests another delivery after a delay in milliseconds. */
  nak(delayMs?: number): void;
  /** Extends the time within which the message must be acknowledged. */
  working(): void;
}

/** Manager for streams and consumers. */
export interface NatsManager {
  /** Manager for streams. */
  readonly streams: NatsStreamManager;
  /** Manager for consumers. */
  readonly consumers: NatsConsumerManager;
}

/** Manager for streams. */
export interface NatsStreamManager {
  /** Creates a stream. */
  add(config: NatsStreamConfig): Promise<unknown>;
  /** Changes the settings of a stream. */
  update(name: string, config: NatsStreamUpdate): Promise<unknown>;
  /** Returns a stream. */
  info(name: string): Promise<NatsStreamInfo>;
  /** Returns the first message with a matching subject whose sequence number is at least `seq`. */
  getMessage(
    name: string,
    query: { seq: number; next_by_subj: string },
  ): Promise<NatsStoredMessage | null>;
  /** Deletes a message. */
  deleteMessage(name: string, seq: number, erase: boolean): Promise<boolean>;
  /** Deletes the messages before a sequence number. */
  purge(name: string, options: { seq: number }): Promise<unknown>;
}

/** Settings of a stream that can be changed. */
export interface NatsStreamUpdate {
  /** Time after which messages are deleted. */
  max_age: number;
  /** Maximum number of messages. */
  max_msgs: number;
  /** Maximum size of the messages in bytes, or -1. */
  max_bytes: number;
  /** Number of servers that store each message. */
  num_replicas: number;
  /** `new`: a full stream rejects new messages. `old`: a full stream drops its oldest messages. */
  discard: "new" | "old";
}

/** Settings of a stream. */
export interface NatsStreamConfig extends NatsStreamUpdate {
  /** Name of the stream. */
  name: string;
  /** Description of the stream. */
  description: string;
  /** Subjects of the stored messages. */
  subjects: string[];
  /** `limits`: messages are stored until a limit is reached. */
  retention: "limits";
  /** `file`: messages are stored on disk. */
  storage: "file";
}

/** A stream. */
export interface NatsStreamInfo {
  /** Settings of the stream. */
  readonly config: { readonly description?: string };
  /** State of the stream: `last_seq` is the sequence number of the last message. */
  readonly state: { readonly last_seq: number };
}

/** A message in a stream. */
export interface NatsStoredMessage {
  /** Subject of the message. */
  readonly subject: string;
  /** Sequence number of the message. */
  readonly seq: number;
  /** Content of the message. */
  readonly data: Uint8Array;
}

/** Manager for consumers. */
export interface NatsConsumerManager {
  /** Creates a consumer. */
  add(stream: string, config: NatsConsumerConfig): Promise<NatsConsumerInfo>;
  /** Changes the settings of a consumer. */
  update(stream: string, name: string, config: { ack_wait: number }): Promise<unknown>;
  /** Returns a consumer. */
  info(stream: string, name: string): Promise<NatsConsumerInfo>;
  /** Deletes a consumer. */
  delete(stream: string, name: string): Promise<boolean>;
}

/** Settings of a consumer. */
export interface NatsConsumerConfig {
  /** Name of a consumer that persists until it is deleted. */
  durable_name?: string;
  /** Subjects of the delivered messages. */
  filter_subject?: string;
  /** Whether each message must be acknowledged. */
  ack_policy: "explicit" | "none";
  /** First message that is delivered. */
  deliver_policy: "all" | "by_start_time";
  /** Time of the first message that is delivered, in ISO 8601. */
  opt_start_time?: string;
  /** Time after which a message that was not acknowledged is delivered again. */
  ack_wait?: number;
  /** Maximum number of messages that are delivered but not acknowledged. */
  max_ack_pending?: number;
  /** Maximum number of waiting pull requests. */
  max_waiting?: number;
  /** Time without activity after which the consumer is deleted. */
  inactive_threshold?: number;
  /** How the server replays messages. */
  replay_policy: "instant";
}

/** A consumer. */
export interface NatsConsumerInfo {
  /** Name of the consumer. */
  readonly name: string;
  /** Time at which the consumer was created, according to the clock of the server. */
  readonly created: string;
  /** Number of messages that have not been delivered yet. */
  readonly num_pending: number;
  /** Number of messages that have been delivered but not acknowledged. */
  readonly num_ack_pending: number;
  /** Last delivered message. */
  readonly delivered: { readonly stream_seq: number };
  /** Last message in the unbroken sequence of acknowledged messages. */
  readonly ack_floor: { readonly stream_seq: number };
}
