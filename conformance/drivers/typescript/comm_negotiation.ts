/**
 * `comm` operations for protocol negotiation: offers and acceptances, signed and unsigned.
 *
 * @module
 */

import {
  createProtocolAccept,
  createProtocolOffer,
  createSigner,
  negotiateProtocol,
  parseJson,
  parseMessage,
  type ProtocolAccept,
  type ProtocolOffer,
} from "@parley/comm";
import { canonicalize } from "@parley/comm/canonical-json";
import { acceptOffer, signOffer, verifyAcceptance } from "@parley/comm/signed-negotiation";
import { freshnessOf } from "./comm_policy.ts";
import { resolvingBy } from "./comm_resolver.ts";
import {
  bytesOf,
  type Fields,
  fieldsOf,
  messageTextOf,
  type Operation,
  textOf,
} from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const NEGOTIATION_OPS: Readonly<Record<string, Operation>> = {
  "comm.negotiate": ({ args }) => ({
    // The arguments are passed unvalidated, because cases test invalid arguments.
    accept: negotiateProtocol(
      { timestamp: "2026-01-02T03:04:05.678Z", ...fieldsOf(args, "offer") } as ProtocolOffer,
      args.supported as readonly string[],
      args.responderDid as string,
    ),
  }),
  "comm.offer.decode": ({ args }) => ({ offer: readOffer(args, "text") }),
  "comm.offer.equals": ({ args }) => areEqual(readOffer(args, "aText"), readOffer(args, "bText")),
  "comm.accept.decode": ({ args }) => ({ accept: readAccept(args, "text") }),
  "comm.accept.equals": ({ args }) =>
    areEqual(readAccept(args, "aText"), readAccept(args, "bText")),
  "comm.negotiation.offer": async ({ args, signal }) => {
    const signer = await createSigner({ seed: bytesOf(args, "seedHex") });
    // The library validates the offer.
    const offer = fieldsOf(args, "offer") as unknown as ProtocolOffer;
    return {
      message: (await signOffer(offer, textOf(args, "recipient"), { signer, signal })).toJSON(),
    };
  },
  "comm.negotiation.answer": async ({ args, handles, signal }) => {
    const answer = await acceptOffer(parseMessage(messageTextOf(args, "message")), {
      supportedProtocols: args.supported as readonly string[],
      signer: await createSigner({ seed: bytesOf(args, "seedHex") }),
      ...resolvingBy(args),
      ...freshnessOf(args, handles),
      signal,
    });
    return { message: answer.toJSON() };
  },
  "comm.negotiation.read": async ({ args, handles, signal }) => ({
    accept: await verifyAcceptance(parseMessage(messageTextOf(args, "answer")), {
      offer: parseMessage(messageTextOf(args, "offer")),
      ...resolvingBy(args),
      ...freshnessOf(args, handles),
      signal,
    }),
  }),
};

function readOffer(args: Fields, name: string): ProtocolOffer {
  return createProtocolOffer(parseJson(textOf(args, name)) as unknown as ProtocolOffer);
}

function readAccept(args: Fields, name: string): ProtocolAccept {
  return createProtocolAccept(parseJson(textOf(args, name)) as unknown as ProtocolAccept);
}

/** Compares plain data by its canonical JSON. */
function areEqual(one: object, other: object): Fields {
  return { equal: canonicalize(one) === canonicalize(other) };
}
