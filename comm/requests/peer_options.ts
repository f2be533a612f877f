/**
 * Options of a peer.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import {
  assertFunction,
  assertMethods,
  assertNonEmptyString,
  assertOptionalBoolean,
} from "@parley/internal/assert-argument";
import { quote } from "@parley/internal/format-value";
import { optionsReader, required, type Settings, withDefault } from "@parley/internal/options";
import { assertSigner, type Signer } from "../signing/signer.ts";
import type { MessageVerifier } from "../signing/verifier.ts";
import { assertTransport, type MessageTransport } from "../transport/transport.ts";
import {
  defaultPerSender,
  PEER_LIMIT_RULES,
  type PeerLimits,
  type PeerLimitSettings,
} from "./peer_limits.ts";

/** Options for `createPeer`. */
export interface PeerOptions extends PeerLimits {
  /** Signs all messages that the peer sends. The signer's `did` is the peer's DID. */
  readonly signer: Signer;
  /**
   * Verifies received messages. The verifier's policy decides which senders are admitted, including
   * the agents that the peer sends requests to. The verifier's `recipient` must be the DID of the
   * peer or `any`. With a replay store, a repeated request is not served again, unless the request
   * was rejected with the code `busy` or `not_serving`, or its handler crashed. Replies to the
   * peer's own requests are not added to the replay store: the peer itself recognizes repeated
   * replies.
   */
  readonly verifier: MessageVerifier;
  /**
   * Sends and receives messages. The peer must be the only reader of the transport. Closing the
   * peer closes the transport.
   */
  readonly transport: MessageTransport;
  /** Protocol of all requests and replies, such as `agent.task.v1`. */
  readonly protocol: string;
  /**
   * Whether `serve` and `onMessage` accept a verifier without a replay store, or one whose
   * `rejectsReplays` is absent. The handler is then called again for each copy of a request that
   * arrives after the request has ended, and `onMessage` for each copy of a message, including
   * copies that another agent has recorded.
   *
   * @default {false}
   */
  readonly allowRepeatedRequests?: boolean;
  /**
   * Called with each verified message that is not part of a request: messages of other protocols,
   * and messages of other types that have a `correlationId`. If omitted, messages that are not part
   * of a request are dropped without verification and reported to `onError`, each distinct report
   * once and at most 20 reports per minute. At most `maxServing` calls run concurrently, and at
   * most `maxServingPerSender` with messages from one sender; further messages are dropped and
   * reported to `onError`. An error that the function throws is also reported to `onError`. With
   * `onMessage`, the peer starts to read from the transport when it is created, and the
   * verifier must have a replay store, unless `allowRepeatedRequests` is `true`. When the function
   * has returned, the transport releases the message: a transport over HTTP ends the response that
   * it holds open for replies.
   */
  readonly onMessage?: (message: AgentCommMessage) => void | Promise<void>;
  /**
   * Called with errors that do not reject any call: messages that are invalid or fail verification,
   * messages that are dropped, replies from the wrong sender, errors that handlers and callbacks
   * throw, replies that cannot be sent, and transport failures. If omitted, errors are printed to
   * standard error, each distinct error once and at most 20 errors per minute. `() => {}` silences
   * the errors.
   */
  readonly onError?: (error: unknown) => void;
}

/** Options of a peer, with default values filled in. */
export type PeerSettings =
  & Settings<PeerOptions, keyof PeerLimits | "allowRepeatedRequests">
  & PeerLimitSettings;

const readOptions = optionsReader<PeerOptions>("options")({
  ...PEER_LIMIT_RULES,
  signer: required(assertSigner),
  verifier: required((name, value) =>
    assertMethods(name, "a MessageVerifier", value, ["begin", "verify"])
  ),
  transport: required(assertTransport),
  protocol: required(assertNonEmptyString),
  allowRepeatedRequests: withDefault(false, assertOptionalBoolean),
  onMessage: assertFunction,
  onError: assertFunction,
});

/** Validates the options and fills in default values. */
export function readSettings(options: PeerOptions): PeerSettings {
  const settings = readOptions(options);
  const { signer, verifier, maxServing } = settings;
  const { recipient = "any" } = verifier;
  if (recipient !== "any" && recipient !== signer.did) {
    throw new TypeError(
      `"verifier.recipient" must be the DID of the signer, ${quote(signer.did)}, or "any", got ` +
        quote(recipient),
    );
  }
  if (settings.onMessage !== undefined) assertReplayProtection("call onMessage", settings);
  return {
    ...settings,
    maxServingPerSender: settings.maxServingPerSender ?? defaultPerSender(maxServing),
  };
}

/**
 * Throws unless the verifier states that it rejects replayed messages, or the caller accepts them.
 * The statement can be missing, for example because a program has wrapped the verifier in an object
 * that forwards only the methods. `verb` is what the peer cannot do.
 */
export function assertReplayProtection(
  verb: "serve" | "call onMessage",
  { verifier, allowRepeatedRequests }: Pick<PeerSettings, "verifier" | "allowRepeatedRequests">,
): void {
  if (verifier.rejectsReplays === true || allowRepeatedRequests) return;
  const reason = verifier.rejectsReplays === false
    ? 'the verifier has no replay store; pass "replayGuard" to createVerifier()'
    : 'the verifier does not state that it rejects replayed messages; set its "rejectsReplays"';
  throw new TypeError(`Cannot ${verb}: ${reason}, or set "allowRepeatedRequests"`);
}
