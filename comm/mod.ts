/**
 * Signed messages between agents: messages between DIDs, Ed25519 signatures over canonical JSON,
 * in-process transports, and protocol negotiation.
 *
 * Create a signer with {@linkcode generateSigner}, sign with {@linkcode signMessage}, and verify
 * with {@linkcode verifyMessage}. A signature authenticates the sender, the recipient and the
 * content of a message. This package does not encrypt or resend messages, and does not include a
 * message broker.
 *
 * @example Exchange a signed request and a signed response
 * ```ts
 * import {
 *   AgentCommMessage,
 *   createChannelPair,
 *   generateSigner,
 *   signMessage,
 *   verifyMessage,
 * } from "@parley/comm";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * const [annSide, bobSide] = createChannelPair();
 *
 * const question = new AgentCommMessage({
 *   sender: ann.did,
 *   recipient: bob.did,
 *   protocol: "agent.task.v1",
 *   messageType: "task_assign",
 *   payload: { question: "6 * 7" },
 * });
 * await annSide.send(await signMessage(question, ann));
 *
 * const received = await bobSide.receive();
 * assert(received !== undefined);
 * assert((await verifyMessage(received, { recipient: bob.did })).ok);
 * await bobSide.send(await bob.reply(received, "task_result", { answer: 42 }));
 *
 * const answer = await annSide.receive();
 * assertEquals(answer?.correlationId, question.id);
 * await Promise.all([annSide.close(), bobSide.close()]);
 * ```
 *
 * @module
 */

export type { KeyRelationship } from "./did/document.ts";
export type { DidResolutionOptions, DidResolutionResult, Resolvable } from "./did/resolver.ts";
export {
  CommError,
  CommErrorCode,
  type CommErrorCodeType,
  type CommErrorDetails,
  type CommErrorInit,
  type JsonTextPosition,
} from "./shared/error.ts";
export { isJsonValue, type JsonArray, type JsonObject, type JsonValue } from "./shared/json.ts";
export { parseJson, type ParseJsonOptions } from "./shared/json_parse.ts";
export { AgentCommMessage } from "./message/message.ts";
export type { AgentCommMessageInit } from "./message/message_members.ts";
export { formatMessage, parseMessage, type ParseMessageOptions } from "./message/message_json.ts";
export {
  createProtocolAccept,
  createProtocolOffer,
  negotiateProtocol,
  type ProtocolAccept,
  type ProtocolOffer,
} from "./negotiation/negotiate.ts";
export { formatProtocolId, parseProtocolId, type ProtocolId } from "./negotiation/protocol_id.ts";
export type { PrivateKeyJwk } from "./signing/key_formats.ts";
export type {
  KeyIn,
  LocalSigner,
  Signer,
  SignerIdentity,
  SignerInit,
  SignerKey,
} from "./signing/signer.ts";
export type { SenderKeyOptions } from "./signing/sender_keys.ts";
export {
  createSigner,
  type ExportableSigner,
  generateSigner,
  type MessageSigner,
  SIGNED_MEMBERS,
  signingPayload,
  signMessage,
} from "./signing/signing.ts";
export type { SignMessageOptions } from "./signing/sign_options.ts";
export { verifyMessage, type VerifyMessageOptions } from "./signing/verify_message.ts";
export { verifyAll, type VerifyAllOptions } from "./signing/verify_all.ts";
export {
  type TrustLevel,
  type VerifyFailure,
  VerifyFailureReason,
  type VerifyResult,
  type VerifySuccess,
} from "./signing/verify_result.ts";
export {
  type ChannelPairOptions,
  type ChannelTransport,
  createChannelPair,
} from "./transport/channel.ts";
export { NoopTransport } from "./transport/noop.ts";
export type { MessageTransport, TransportOptions } from "./transport/transport.ts";
