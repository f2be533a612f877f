import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { AgentCommMessage } from "../message/message.ts";
import { createPeer, type Peer, PeerError } from "../requests.ts";
import { CommError } from "../shared/error.ts";
import type { MessageSigner } from "../signing/signing.ts";
import type { Signer } from "../signing/signer.ts";
import { createChannelPair } from "../transport/channel.ts";
import type { MessageTransport } from "../transport/transport.ts";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ANN, BOB, PROTOCOL, verifierOf } from "../testdata/peers.ts";

/**
 * A fault that a sent message is subject to. A held message is delivered after the next message.
 */
type Fault = "none" | "lost" | "repeated" | "held" | "forged";

const FAULT = fc.constantFrom<Fault>("none", "none", "none", "lost", "repeated", "held", "forged");

/** Behavior of the handler and the requester for a request. */
const REQUEST = fc.record({
  updates: fc.nat(3),
  outcome: fc.constantFrom("response", "error", "crash", "silence"),
  isAborted: fc.boolean(),
});

function withFaults(inner: MessageTransport, faults: readonly Fault[]): MessageTransport {
  let index = 0;
  let held: AgentCommMessage | undefined;
  return Object.assign(Object.create(inner), {
    receive: () => inner.receive(),
    close: () => inner.close(),
    async send(message: AgentCommMessage): Promise<void> {
      const fault = faults[index++ % faults.length];
      const late = held;
      held = fault === "held" ? message : undefined;
      if (fault === "forged") await inner.send({ ...message, payload: "forged" } as typeof message);
      if (fault === "none" || fault === "repeated") await inner.send(message);
      if (fault === "repeated") await inner.send(message);
      if (late !== undefined) await inner.send(late);
    },
  });
}

/**
 * A peer, and the signatures that it has begun. An aborted request does not wait for its signature.
 */
interface Node {
  readonly peer: Peer;
  readonly signatures: readonly Promise<unknown>[];
}

function createNode(signer: MessageSigner, transport: MessageTransport): Node {
  const signatures: Promise<unknown>[] = [];
  const recorded: Signer = {
    did: signer.did,
    keyId: signer.keyId,
    sign(...args) {
      const signature = signer.sign(...args);
      signatures.push(signature);
      return signature;
    },
  };
  const verifier = verifierOf(signer);
  const options = { verifier, transport, protocol: PROTOCOL, onError: () => {} };
  return { peer: createPeer({ ...options, signer: recorded }), signatures };
}

Deno.test("each request ends exactly once on a channel that loses, repeats, delays and forges messages", async () => {
  const property = fc.asyncProperty(
    fc.array(REQUEST, { minLength: 1, maxLength: 6 }),
    fc.array(FAULT, { minLength: 1, maxLength: 12 }),
    fc.array(FAULT, { minLength: 1, maxLength: 12 }),
    async (requests, annFaults, bobFaults) => {
      const [annSide, bobSide] = createChannelPair();
      const { peer: ann, signatures: annSignatures } = createNode(
        ANN,
        withFaults(annSide, annFaults),
      );
      const { peer: bob, signatures: bobSignatures } = createNode(
        BOB,
        withFaults(bobSide, bobFaults),
      );
      const calls = requests.map(() => 0);
      bob.serve(async ({ payload }, { update, signal }) => {
        const index = Number(payload);
        const request = requests[index];
        assert(request !== undefined, "a forged request was served");
        calls[index] = (calls[index] ?? 0) + 1;
        for (let count = 0; count < request.updates; count++) await update(count);
        if (request.outcome === "error") throw new PeerError("no", "No");
        if (request.outcome === "crash") throw new Error("crash");
        if (request.outcome === "response") return index;
        return await new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason))
        );
      });

      const outcomes = await Promise.all(requests.map(async ({ isAborted, updates }, index) => {
        const controller = new AbortController();
        const received: unknown[] = [];
        const answer = ann.request(BOB.did, index, {
          timeoutMs: 15,
          signal: controller.signal,
          onUpdate: (payload) => void received.push(payload),
        });
        if (isAborted) controller.abort("aborted");
        try {
          return [await answer, received, updates];
        } catch (error) {
          return [error, received, updates];
        }
      }));
      await ann.close();
      await bob.close();
      await Promise.allSettled([...annSignatures, ...bobSignatures]);

      outcomes.forEach(([outcome, received], index) => {
        const { outcome: planned, updates } = requests[index] ?? { outcome: "", updates: 0 };
        if (typeof outcome === "number") assertEquals([outcome, planned], [index, "response"]);
        else assert(outcome === "aborted" || outcome instanceof CommError, String(outcome));
        if (outcome instanceof CommError && outcome.is("request_failed")) {
          const code = planned === "error" ? "no" : "internal_error";
          assertEquals(outcome.details.code, code);
        }
        // After a crash, a repeated request is served again.
        const maxCalls = planned === "crash" ? 2 : 1;
        assert((calls[index] ?? 0) <= maxCalls);
        assert(Array.isArray(received) && received.length <= updates * maxCalls);
        assert(maxCalls > 1 || new Set(received).size === received.length);
      });
    },
  );
  await fc.assert(property, propertyRuns(60));
});
