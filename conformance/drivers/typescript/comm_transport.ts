/**
 * `comm` operations on all transports and on in-process channels.
 *
 * @module
 */

import {
  AgentCommMessage,
  type ChannelTransport,
  createChannelPair,
  type MessageTransport,
  NoopTransport,
} from "@parley/comm";
import { initOf } from "./comm_message.ts";
import { BadArgs, fieldsOf, isFields, type OpCall, type Operation } from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const TRANSPORT_OPS: Readonly<Record<string, Operation>> = {
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
  "comm.channel.trySend": (call) => ({
    sent: channelOf(call).trySend(new AgentCommMessage(initOf(fieldsOf(call.args, "message")))),
  }),
  "comm.channel.tryReceive": (call) => ({
    message: channelOf(call).tryReceive()?.toJSON() ?? null,
    isClosed: channelOf(call).isClosed,
  }),
  "comm.transport.receive": async (call) => {
    const message = await transportOf(call).receive({ signal: call.signal });
    return { message: message?.toJSON() ?? null };
  },
  "comm.transport.close": async (call) => {
    await transportOf(call).close();
    return {};
  },
};

function channelOf({ on }: OpCall): ChannelTransport {
  if (isFields(on) && "trySend" in on) return on as unknown as ChannelTransport;
  throw new BadArgs('"on" must be the handle of a channel');
}

/**
 * Returns the transport for a handle, which refers to the transport or to an object that contains
 * the transport.
 */
function transportOf({ on }: OpCall): MessageTransport {
  const found: unknown = isFields(on) && "transport" in on ? on.transport : on;
  if (isFields(found) && "send" in found && "receive" in found) {
    return found as unknown as MessageTransport;
  }
  throw new BadArgs('"on" must be the handle of a transport');
}
