import { assertThrows } from "@std/assert";
import { assertCountOptions, type CountOptions } from "../../tools/testing/count_options.ts";
import { didWebResolver } from "../did/web.ts";
import { cachedResolver } from "../did/cache.ts";
import { ReplayGuard } from "../signing/replay_guard.ts";
import { createPeer } from "../requests.ts";
import { ANN, PROTOCOL, verifierOf } from "../testdata/peers.ts";
import { createChannelPair } from "../transport/channel.ts";
import { httpEndpoint } from "../transport/http.ts";
import { assertHasMethod } from "../transport/message_codec.ts";
import { streamTransport } from "../transport/stream.ts";
import { isJsonValue } from "./json.ts";
import { parseJson } from "./json_parse.ts";

const COUNTS: readonly CountOptions[] = [
  [(options) => parseJson("1", options), 1, ["maxBytes"]],
  [didWebResolver, 1, ["maxBytes", "maxRequestsPerHost"]],
  [didWebResolver, 0, ["maxWaitingPerHost"]],
  [(options) => cachedResolver({ resolve: () => Promise.reject() }, options), 1, [
    "maxBytes",
    "maxEntries",
  ]],
  [(options) => new ReplayGuard(options), 1, ["maxEntries", "maxChars"]],
  [openPeer, 1, [
    "maxPending",
    "maxServing",
    "maxServingPerSender",
    "maxServingBytes",
    "maxVerifying",
    "maxVerifyingBytes",
  ]],
  [(options) => httpEndpoint({ urlOf: () => undefined, ...options }), 1, [
    "maxBodyBytes",
    "maxQueuedBytes",
    "capacity",
  ]],
  [openStream, 1, ["maxMessageBytes", "maxQueuedBytes", "capacity"]],
];

function openPeer(options: Readonly<Record<string, unknown>>): void {
  const [transport] = createChannelPair();
  createPeer({ signer: ANN, verifier: verifierOf(ANN), transport, protocol: PROTOCOL, ...options });
}

function openStream(options: Readonly<Record<string, unknown>>): void {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void streamTransport({ readable, writable }, options).close();
}

Deno.test("every option that is a count accepts only integers of at least its minimum", () => {
  assertCountOptions(COUNTS);
});

Deno.test("the error for an invalid depth shows any value", () => {
  const maxDepth: unknown = Symbol("deep");
  const options: object = { maxDepth };
  const message = '"maxDepth" must be an integer from 1 to 1000, got Symbol(deep)';
  assertThrows(() => isJsonValue(1, options), RangeError, message);
});

Deno.test("an argument that cannot be read is rejected with the error that names the argument", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const message = '"signer" must be a Signer, got an object';
  assertThrows(() => assertHasMethod("signer", "a Signer", proxy, "sign"), TypeError, message);
});
