/**
 * The operations of comm on `@parley/comm`.
 *
 * @module
 */

import {
  AgentCommMessage,
  type AgentCommMessageInit,
  createChannelPair,
  createSigner,
  formatMessage,
  type MessageTransport,
  negotiateProtocol,
  NoopTransport,
  parseMessage,
  parseProtocolId,
  type ProtocolOffer,
  signingPayload,
  signMessage,
  verifyMessage,
} from "@parley/comm";
import { canonicalize } from "@parley/comm/canonical-json";
import {
  combineResolvers,
  didJwkResolver,
  didKeyResolver,
  formatDidKey,
  parseDidKey,
  type Resolvable,
  resolveDid,
  selectKeys,
} from "@parley/comm/did";
import { detectBackend } from "../../../comm/ed25519.ts";
import {
  BadArgs,
  bytesOf,
  type Fields,
  fieldsOf,
  isFields,
  type Op,
  type OpCall,
  textOf,
  toHex,
} from "./op.ts";

const OFFLINE = combineResolvers({ key: didKeyResolver, jwk: didJwkResolver });

/** The operations by name. */
export const COMM_OPS: Readonly<Record<string, Op>> = {
  "comm.canonicalize": ({ args }) => textAndBytes(canonicalize(inputOf(args))),
  "comm.ed25519.sign": async ({ args }) => {
    const key = await (await detectBackend()).openPrivateKey(bytesOf(args, "seedHex"));
    const signature = await key.sign(bytesOf(args, "messageHex"));
    return { publicKeyHex: toHex(key.publicKey), signatureHex: toHex(signature) };
  },
  "comm.ed25519.verify": async ({ args }) => {
    const key = await (await detectBackend()).openPublicKey(bytesOf(args, "publicKeyHex"));
    const signature = bytesOf(args, "signatureHex");
    return { valid: await key.verify(signature, bytesOf(args, "messageHex")) };
  },
  "comm.did.encode": ({ args }) => ({ did: formatDidKey(bytesOf(args, "publicKeyHex")) }),
  "comm.did.decode": async ({ args }) => ({ publicKeyHex: await publicKeyOf(textOf(args, "did")) }),
  "comm.protocol.parse": ({ args }) => ({ ...parseProtocolId(textOf(args, "text")) }),
  "comm.message.new": ({ args }) => ({
    message: new AgentCommMessage(initOf(fieldsOf(args, "init"))).toJSON(),
  }),
  "comm.message.decode": ({ args }) => {
    const { padToBytes } = args;
    const text = (): string =>
      textOf(args, "text").padEnd(typeof padToBytes === "number" ? padToBytes : 0);
    const input = args.textHex === undefined ? text() : bytesOf(args, "textHex");
    return { message: JSON.parse(formatMessage(parseMessage(input))) };
  },
  "comm.message.equals": ({ args }) => ({
    equal: parseMessage(textOf(args, "aText")).equals(parseMessage(textOf(args, "bText"))),
  }),
  "comm.message.reply": ({ args }) => {
    const { messageType, payload, signature } = initOf(args);
    const original = parseMessage(textOf(args, "messageText"));
    return { message: original.reply(messageType, payload, signature).toJSON() };
  },
  "comm.message.payload": ({ args }) => {
    const bytes = signingPayload(parseMessage(textOf(args, "messageText")));
    return { text: new TextDecoder().decode(bytes), utf8Hex: toHex(bytes) };
  },
  "comm.message.sign": async ({ args, signal }) => {
    const message = parseMessage(textOf(args, "messageText"));
    const signer = await createSigner({ seed: bytesOf(args, "seedHex") });
    return { message: (await signMessage(message, signer, { signal })).toJSON() };
  },
  "comm.message.verify": async ({ args, signal }) => {
    const { recipient } = args;
    const result = await verifyMessage(parseMessage(textOf(args, "messageText")), {
      resolver: resolverOf(args),
      signal,
      ...(typeof recipient === "string" ? { recipient } : {}),
    });
    return result.ok ? { valid: true } : { valid: false, reason: result.reason };
  },
  "comm.negotiate": ({ args }) => ({
    // The arguments go in as they are, since a case may want to see wrong ones refused.
    accept: negotiateProtocol(
      { timestamp: "2026-01-02T03:04:05.678Z", ...fieldsOf(args, "offer") } as ProtocolOffer,
      args.supported as readonly string[],
      args.responderDid as string,
    ),
  }),
  "comm.channel.pair": ({ args: { capacity, overflow }, handles }) => {
    const ends = createChannelPair({
      ...(typeof capacity === "number" ? { capacity } : {}),
      ...(overflow === "error" || overflow === "wait" ? { overflow } : {}),
    });
    return { handles: ends.map((end) => handles.add(end, () => end.close())) };
  },
  "comm.noop.new": ({ handles }) => ({ handle: handles.add(new NoopTransport()) }),
  "comm.transport.send": async (call) => {
    const init: Record<string, unknown> = structuredClone(fieldsOf(call.args, "message"));
    await transportOf(call).send(new AgentCommMessage(initOf(init)), { signal: call.signal });
    if (call.args.thenChange === true && isFields(init.payload)) {
      Object.assign(init.payload, { changed: true });
    }
    return {};
  },
  "comm.transport.receive": async (call) => {
    const message = await transportOf(call).receive({ signal: call.signal });
    return { message: message?.toJSON() ?? null };
  },
  "comm.transport.close": async (call) => {
    await transportOf(call).close();
    return {};
  },
};

/** What comm can do beyond its operations. */
export const COMM_FEATURES: Readonly<Record<string, boolean>> = {
  "comm.channel.overflow": true,
  "comm.decode.pad": true,
  "comm.did.jwk": true,
  "comm.did.web": true,
};

function textAndBytes(text: string): { readonly text: string; readonly utf8Hex: string } {
  return { text, utf8Hex: toHex(new TextEncoder().encode(text)) };
}

/** A value as text, or a bare number that JSON may have no text for. */
function inputOf(args: Fields): unknown {
  if (args.float64Hex === undefined) return JSON.parse(textOf(args, "text"));
  return new DataView(bytesOf(args, "float64Hex").buffer).getFloat64(0);
}

async function publicKeyOf(did: string): Promise<string> {
  if (did.startsWith("did:key:")) return toHex(parseDidKey(did));
  const [key] = selectKeys(await resolveDid(did, OFFLINE), "authentication");
  if (key === undefined) throw new BadArgs(`${did} has no key`);
  return toHex(key.publicKey);
}

/** Whatever a case gives stands for the members: the library has to look at them. */
function initOf(fields: Fields): AgentCommMessageInit {
  return fields as unknown as AgentCommMessageInit;
}

/** The documents that a case gives, and offline resolution beyond them. */
export function resolverOf(args: Fields): Resolvable {
  const documents = fieldsOf(args, "didDocuments");
  const metadata = fieldsOf(args, "didMetadata");
  return {
    resolve: (did, options) =>
      Object.hasOwn(documents, did)
        ? Promise.resolve({
          didDocument: documents[did],
          didResolutionMetadata: {},
          didDocumentMetadata: fieldsOf(metadata, did),
        })
        : OFFLINE.resolve(did, options),
  };
}

function transportOf({ on }: OpCall): MessageTransport {
  if (isFields(on) && "send" in on && "receive" in on) return on as unknown as MessageTransport;
  throw new BadArgs("the handle is no transport");
}
