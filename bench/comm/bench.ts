/**
 * Compares `@parley/comm` with canonicalize, json-canonicalize, canonify, noble, jose and
 * didcomm-node.
 *
 *     deno task bench comm
 *     deno task bench comm --node
 *
 * Prints the number of operations per second of processor time for each library. The last line is a
 * JSON object that contains all ratios. Exits with code 1 if a ratio is outside its limit in
 * `PROMISES`.
 *
 * @module
 */

import process from "node:process";
import type { JsonValue } from "@parley/comm";
import { canonicalize } from "@parley/comm/canonical-json";
import {
  type Contender,
  type CpuRounds,
  measureCpuRounds,
  medianRatioOf,
  toCpuSpeeds,
} from "../measure.ts";
import { growthRatio, publishReport, type Report } from "../report.ts";
import { measureShapes } from "./canonical_shapes.ts";
import { CAPACITY, measureChannel, measureGrowth } from "./channel.ts";
import {
  assertOk,
  createMessage,
  measureKnownSender,
  measureMessages,
  measureParsing,
  RECIPIENT,
} from "./messages.ts";
import { loadPeer } from "./peers.ts";
import { PROMISES } from "./promises.ts";
import { measureQueueDepths } from "./queue_depth.ts";
import { measureReplayGuards } from "./replay_guard.ts";

/**
 * Creates a document of about one megabyte that consists of small objects with unsorted members.
 */
function createDocument(): JsonValue {
  return Array.from({ length: 8000 }, (_, id) => ({
    name: `user ${id}`,
    id,
    score: Math.sin(id) * 1000,
    active: id % 2 === 0,
    tags: ["alpha", "beta"],
    nested: { z: 1, a: 'text with "quotes"\n', m: null },
  }));
}

async function measureCanonicalJson(value: JsonValue): Promise<CpuRounds> {
  const peer = (await loadPeer("canonicalize")).default;
  assertOk(canonicalize(value) === peer(value));
  return await measureCpuRounds([
    { name: "@parley/comm", run: () => canonicalize(value) },
    { name: "canonicalize", run: () => peer(value) },
    { name: "JSON.stringify, not canonical", run: () => JSON.stringify(value) },
  ].map(repeat));
}

/** Repeats a short operation within one measurement, because the clock has a limited resolution. */
function repeat(contender: Contender): Contender {
  const started = performance.now();
  contender.run();
  const times = Math.max(1, Math.min(200, Math.floor(1 / (performance.now() - started))));
  return {
    name: contender.name,
    operations: times,
    run: () => {
      for (let time = 0; time < times; time++) contender.run();
    },
  };
}

async function createReport(): Promise<Report> {
  const envelope = { ...createMessage(RECIPIENT).toJSON() };
  const small = await measureCanonicalJson(envelope);
  const large = await measureCanonicalJson(createDocument());
  const shapes = await measureShapes();
  const parsing = await measureParsing();
  const messages = await measureMessages();
  const channel = await measureChannel();
  const known = await measureKnownSender();
  const guards = await measureReplayGuards();
  const queue = await measureQueueDepths();
  const [ours, native] = ["@parley/comm", "WebCrypto sign and verify alone"];
  const [jose, stream] = ["jose, FlattenedSign", "TransformStream, each awaited"];
  return {
    tables: [
      { title: "canonical JSON, 400 bytes", values: toCpuSpeeds(small) },
      { title: "canonical JSON, 1 MB", values: toCpuSpeeds(large) },
      { title: "create, sign, encode, decode, verify", values: toCpuSpeeds(messages) },
      { title: `channel of capacity ${CAPACITY}, messages`, values: toCpuSpeeds(channel) },
      { title: "verification of a known sender", values: toCpuSpeeds(known) },
      { title: "replay guard of 100,000 entries", values: toCpuSpeeds(guards) },
    ],
    growth: [queue],
    ratios: {
      canonicalize_400b_vs_canonicalize: medianRatioOf(small, ours, "canonicalize"),
      canonicalize_1mb_vs_canonicalize: medianRatioOf(large, ours, "canonicalize"),
      ...shapes.byShape,
      canonicalize_any_shape_vs_fastest: shapes.lowest,
      canonicalize_empty_object_vs_fastest: shapes.empty,
      parse_500b_cost_vs_json_parse: parsing.get("500 bytes") ?? NaN,
      parse_16kb_cost_vs_json_parse: parsing.get("16 kB") ?? NaN,
      message_cost_vs_hand_made: medianRatioOf(messages, "hand-made message", ours),
      message_vs_native: medianRatioOf(messages, ours, native),
      message_vs_native_by_the_clock: medianRatioOf(messages, ours, native, "wallUs"),
      message_vs_jose: medianRatioOf(messages, ours, jose),
      message_vs_jose_by_the_clock: medianRatioOf(messages, ours, jose, "wallUs"),
      message_vs_noble: medianRatioOf(messages, ours, "@noble/ed25519 and canonicalize"),
      message_vs_didcomm: medianRatioOf(messages, ours, "didcomm-node, pack_signed"),
      channel_vs_transform_stream: medianRatioOf(channel, "@parley/comm channel", stream),
      channel_awaited_vs_transform_stream: medianRatioOf(
        channel,
        "@parley/comm channel, each awaited",
        stream,
      ),
      verify_known_did_key_vs_native: medianRatioOf(
        known,
        "verifyMessage, known did:key",
        "WebCrypto verify alone",
      ),
      verify_1000_senders_cost_vs_one: medianRatioOf(
        known,
        "verifyMessage, known did:key",
        "verifyMessage, 1,000 known did:key senders",
      ),
      replay_guard_full_cost_vs_filling: medianRatioOf(
        guards,
        "ReplayGuard, filling",
        "ReplayGuard, full",
      ),
      replay_guard_steady_cost_vs_filling: medianRatioOf(
        guards,
        "ReplayGuard, filling",
        "ReplayGuard, steady",
      ),
      former_guard_full_cost_vs_filling: medianRatioOf(
        guards,
        "former ReplayGuard, filling",
        "former ReplayGuard, full",
      ),
      former_guard_steady_cost_vs_filling: medianRatioOf(
        guards,
        "former ReplayGuard, filling",
        "former ReplayGuard, steady",
      ),
      queue_300000_waiting_cost_vs_1000: growthRatio(queue),
      channel_growth_mb: await measureGrowth(),
    },
    promises: PROMISES,
  };
}

process.exitCode = publishReport(await createReport());
