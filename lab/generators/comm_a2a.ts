/**
 * Cases for signed requests of the Agent2Agent protocol (A2A).
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "../../conformance/kit/json.ts";
import { canonicalize, type Making, type Members, NOW, prove } from "./comm_proof.ts";
import type { GeneratedArea } from "./generated_area.ts";
import { ALICE, BOB, CAROL } from "./keys.ts";

const AREA = "comm/a2a";
const REF = "https://a2a-protocol.org/latest/specification/#321-sendmessagerequest";
const URI = "urn:parley:a2a:signed-message:v1";

/** The members of a request that the digest covers, in canonical form. */
const MESSAGE = {
  messageId: "m-1",
  contextId: "c-1",
  role: "ROLE_USER",
  parts: [
    { text: "Pay 5 euros" },
    { raw: "+/8=", mediaType: "application/octet-stream", filename: "a.bin" },
    { data: { Amount_EUR: 5 }, metadata: { lang: "en" } },
  ],
  metadata: { "urn:x": { snake_case: [1, null] } },
  extensions: ["urn:x", URI],
};
const CONFIGURATION = {
  acceptedOutputModes: ["text/plain"],
  historyLength: 0,
  taskPushNotificationConfig: { url: "https://alice.example/push", token: "t" },
};
const REQUEST = { message: MESSAGE, configuration: CONFIGURATION, metadata: { trace: "1" } };
/** A request with nothing but the members that the protocol requires. */
const SHORT = {
  message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "Hello" }], extensions: [URI] },
};

function digestOf(covered: JsonObject): string {
  return `sha-256:${createHash("sha256").update(canonicalize(covered)).digest("hex")}`;
}

/** The message whose payload is the digest of a request, with its proof. */
function carrierOf(covered: JsonObject, change: Members = {}, making: Making = {}): JsonObject {
  return prove({
    id: "019b7ca9-8f2e-7a00-8000-000000000001",
    sender: ALICE.did,
    recipient: BOB.did,
    protocol: "a2a.message.v1",
    messageType: "message",
    payload: { digest: digestOf(covered) },
    timestamp: "2026-01-02T03:04:05.678Z",
    ...change,
  }, making);
}

/** The proof of {@linkcode REQUEST}. */
const CARRIER = carrierOf(REQUEST);

/** Adds a proof to the metadata of a request's message. */
function attach(request: JsonObject, carrier: JsonValue = CARRIER): JsonObject {
  const message = request.message as JsonObject;
  const metadata = { ...message.metadata as JsonObject, [URI]: carrier };
  return { ...request, message: { ...message, metadata } };
}

/** Requests that one verifier receives in this order, and the expected verdicts. */
interface Row {
  readonly name: string;
  readonly requests: readonly JsonValue[];
  /** For each request, `true` if it is valid, or the reason why it is not. */
  readonly answers: readonly (true | string)[];
  readonly args?: JsonObject;
}

function toRow({ name, requests, answers, args = {} }: Row): JsonObject {
  const verdicts = answers.map((answer) =>
    answer === true ? { valid: true, did: ALICE.did } : { valid: false, reason: answer }
  );
  const requestTexts = requests.map((request) => JSON.stringify(request));
  const input = { requestTexts, recipient: BOB.did, now: NOW, ...args };
  return { name, input, expect: { ok: { verdicts } } };
}

interface Text {
  readonly slug: string;
  readonly title: string;
  readonly clauses: readonly string[];
  readonly why: string;
  readonly control?: string;
}

function toCase({ slug, control, ...text }: Text, rows: readonly Row[]): JsonObject {
  return {
    id: `${AREA}/${slug}`,
    kind: "vector",
    level: "MUST",
    basis: "decision",
    refs: [REF],
    ...text,
    ...(control === undefined ? {} : { control: `${AREA}/${control}` }),
    needs: { features: ["comm.a2a"] },
    op: "comm.a2a.verify",
    rows: rows.map(toRow),
  };
}

function validCase(): JsonObject {
  const rows: readonly (readonly [string, JsonObject])[] = [
    ["every kind of member", attach(REQUEST)],
    ["only the required members", attach(SHORT, carrierOf(SHORT))],
  ];
  return toCase(
    {
      slug: "valid",
      title: "A request whose proof contains its digest passes verification",
      clauses: ["COMM-A2A-1", "COMM-A2A-2"],
      why: "Control case: each rejection case in this file adds one defect to this valid input.",
    },
    rows.map(([name, request]) => ({ name, requests: [request], answers: [true] })),
  );
}

/** Forms of ProtoJSON with the same meaning as {@linkcode REQUEST}. */
function equalForms(): readonly (readonly [string, JsonObject])[] {
  const { contextId, messageId, ...message } = MESSAGE;
  const { historyLength, taskPushNotificationConfig, ...configuration } = CONFIGURATION;
  const [text, raw, data] = MESSAGE.parts;
  const withParts = (...parts: JsonValue[]) =>
    attach({ ...REQUEST, message: { ...MESSAGE, parts } });
  return [
    ["another order", Object.fromEntries(Object.entries(attach(REQUEST)).reverse())],
    [
      "names in snake_case",
      attach({
        ...REQUEST,
        message: { ...message, message_id: messageId, context_id: contextId },
        configuration: {
          accepted_output_modes: configuration.acceptedOutputModes,
          history_length: historyLength,
          task_push_notification_config: taskPushNotificationConfig,
        },
      }),
    ],
    ["base64url", withParts({ ...text }, { ...raw, raw: "-_8" }, { ...data })],
    ["bits after the last byte", withParts({ ...text }, { ...raw, raw: "+/9=" }, { ...data })],
    ["an enumeration as a number", attach({ ...REQUEST, message: { ...MESSAGE, role: 1 } })],
    [
      "null for absent members",
      attach({ ...REQUEST, tenant: null, message: { ...MESSAGE, taskId: null } }),
    ],
    [
      "default values",
      attach({
        ...REQUEST,
        tenant: "",
        message: { ...MESSAGE, taskId: "", referenceTaskIds: [] },
        configuration: { ...CONFIGURATION, returnImmediately: false },
      }),
    ],
    [
      "unknown members",
      attach({ ...REQUEST, x: 1, message: { ...MESSAGE, kind: "message" } }),
    ],
    [
      "empty metadata",
      withParts({ ...text, metadata: {} }, { ...raw }, { ...data }),
    ],
  ];
}

function equalFormsCase(): JsonObject {
  return toCase(
    {
      slug: "equal-forms",
      title: "A request in another form of ProtoJSON passes verification",
      clauses: ["COMM-A2A-2"],
      why: "Proxies and gateways decode requests and encode them again.",
    },
    equalForms().map(([name, request]) => ({ name, requests: [request], answers: [true] })),
  );
}

/** Requests that mean something else than the request that was signed. */
function changedRequests(): readonly (readonly [string, JsonObject])[] {
  const withMessage = (change: JsonObject) =>
    attach({ ...REQUEST, message: { ...MESSAGE, ...change } });
  const withConfiguration = (change: JsonObject) =>
    attach({ ...REQUEST, configuration: { ...CONFIGURATION, ...change } });
  const { historyLength: _left, ...configuration } = CONFIGURATION;
  const [, raw, data] = MESSAGE.parts;
  const short = (change: JsonObject) => attach({ ...SHORT, ...change }, carrierOf(SHORT));
  return [
    [
      "a changed text",
      withMessage({ parts: [{ text: "Pay 500 euros" }, raw ?? null, data ?? null] }),
    ],
    ["a removed part", withMessage({ parts: [{ text: "Pay 5 euros" }] })],
    ["another message id", withMessage({ messageId: "m-2" })],
    ["another conversation", withMessage({ contextId: "c-2" })],
    ["a task id", withMessage({ taskId: "t" })],
    ["another role", withMessage({ role: "ROLE_AGENT" })],
    [
      "metadata in another spelling",
      withMessage({ metadata: { "urn:x": { snakeCase: [1, null] } } }),
    ],
    ["a removed extension", withMessage({ extensions: [URI] })],
    ["an added tenant", short({ tenant: "t" })],
    ["added metadata", short({ metadata: { a: 1 } })],
    ["an added configuration", short({ configuration: { returnImmediately: true } })],
    [
      "an added push URL",
      short({
        configuration: { taskPushNotificationConfig: { url: "https://eve.example" } },
      }),
    ],
    [
      "another push URL",
      withConfiguration({
        taskPushNotificationConfig: { url: "https://eve.example", token: "t" },
      }),
    ],
    ["a history length of 0 that was removed", attach({ ...REQUEST, configuration })],
  ];
}

function changedCase(): JsonObject {
  return toCase(
    {
      slug: "changed",
      title: "A changed request is rejected, and its proof can still be used",
      clauses: ["COMM-A2A-3"],
      why: "An intermediary that changes a request must not make the agent reject the original.",
      control: "valid",
    },
    changedRequests().map(([name, request]) => {
      const isShort = !Object.hasOwn(request.message as JsonObject, "contextId");
      const original = isShort ? attach(SHORT, carrierOf(SHORT)) : attach(REQUEST);
      return { name, requests: [request, original], answers: ["proof_invalid", true] };
    }),
  );
}

function checksCase(): JsonObject {
  const one = (name: string, carrier: JsonValue, answer: string, args: JsonObject = {}): Row => ({
    name,
    requests: [attach(REQUEST, carrier)],
    answers: [answer],
    args,
  });
  const { proof: _proof, ...unproven } = CARRIER;
  return toCase({
    slug: "checks",
    title: "The proof of a request is checked as that of any message",
    clauses: ["COMM-A2A-4"],
    why: "A request for another agent, or an old request, must not be executed.",
    control: "valid",
  }, [
    {
      name: "sent twice",
      requests: [attach(REQUEST), attach(REQUEST)],
      answers: [true, "replay_detected"],
    },
    one("another recipient", CARRIER, "recipient_mismatch", { recipient: CAROL.did }),
    one("too old", CARRIER, "expired", { now: "2026-01-02T03:20:00.000Z" }),
    one("without a proof", unproven, "proof_missing"),
    one("a proof by another key", carrierOf(REQUEST, {}, { signer: BOB }), "proof_invalid"),
    one("another sender", { ...CARRIER, sender: CAROL.did }, "key_not_found"),
    one("another id", { ...CARRIER, id: "019b7ca9-8f2e-7a00-8000-000000000002" }, "proof_invalid"),
  ]);
}

function otherMessagesCase(): JsonObject {
  const digest = digestOf(REQUEST);
  const rows: readonly (readonly [string, JsonValue])[] = [
    ["another protocol", carrierOf(REQUEST, { protocol: "agent.task.v1" })],
    ["another message type", carrierOf(REQUEST, { messageType: "task_assign" })],
    ["the digest of another request", carrierOf(SHORT)],
    ["another hash function", carrierOf(REQUEST, { payload: { digest: digest.slice(4) } })],
    ["a digest in upper case", carrierOf(REQUEST, { payload: { digest: digest.toUpperCase() } })],
    ["only the digest", carrierOf(REQUEST, { payload: digest })],
    ["another member in the payload", carrierOf(REQUEST, { payload: { digest, x: 1 } })],
    ["a payload that is null", carrierOf(REQUEST, { payload: null })],
    ["a text", JSON.stringify(CARRIER)],
    ["an array", [CARRIER]],
  ];
  return toCase(
    {
      slug: "other-messages",
      title: "A proof that is not for this request is rejected",
      clauses: ["COMM-A2A-1"],
      why: "A message that its sender has signed for another purpose would authorize a request.",
      control: "valid",
    },
    rows.map(([name, carrier]) => ({
      name,
      requests: [attach(REQUEST, carrier)],
      answers: ["proof_invalid"],
    })),
  );
}

function missingCase(): JsonObject {
  const unsigned = attach(REQUEST);
  return toCase({
    slug: "missing",
    title: "A request without a proof, or that is not valid, is rejected",
    clauses: ["COMM-A2A-5"],
    why: "An attacker could remove the proof to bypass verification.",
    control: "valid",
  }, [
    { name: "no proof", requests: [REQUEST], answers: ["proof_missing"] },
    {
      name: "the proof in the metadata of the request",
      requests: [{ ...REQUEST, metadata: { [URI]: CARRIER } }],
      answers: ["proof_missing"],
    },
    { name: "no message", requests: [{}], answers: ["invalid_message"] },
    {
      name: "a part with two contents",
      requests: [{
        ...unsigned,
        message: { ...MESSAGE, parts: [{ text: "a", url: "https://a.example" }] },
      }],
      answers: ["invalid_message"],
    },
  ]);
}

function createdCase(): JsonObject {
  const row = (name: string, request: JsonObject, covered: JsonObject): JsonObject => {
    const { metadata, ...message } = covered.message as JsonObject;
    const carrier = {
      sender: ALICE.did,
      recipient: BOB.did,
      protocol: "a2a.message.v1",
      messageType: "message",
      payload: { $exact: { digest: digestOf(covered) } },
      proof: { cryptosuite: "eddsa-jcs-2022", domain: BOB.did },
    };
    const expected = { ...message, metadata: { ...metadata as JsonObject, [URI]: carrier } };
    return {
      name,
      input: { requestText: JSON.stringify(request), seedHex: ALICE.seedHex, recipient: BOB.did },
      expect: { ok: { request: { ...covered, message: expected } } },
    };
  };
  const { extensions: _listed, ...plain } = SHORT.message;
  return {
    id: `${AREA}/created`,
    kind: "vector",
    level: "MUST",
    basis: "decision",
    refs: [REF],
    title: "A signed request contains the digest of its canonical form, and lists the extension",
    clauses: ["COMM-A2A-6", "COMM-A2A-1", "COMM-A2A-2"],
    why: "Verifiers of other implementations compare the digest with that of the request.",
    needs: { features: ["comm.a2a"] },
    op: "comm.a2a.sign",
    rows: [
      row("only the required members", { message: plain }, SHORT),
      row("every kind of member", REQUEST, REQUEST),
      row("replacing another proof", attach(REQUEST, carrierOf(SHORT)), REQUEST),
      row("default values and unknown members", { message: { ...plain, taskId: "", x: 1 } }, SHORT),
    ],
  };
}

/** Creates the cases of this area. */
export function makeA2aRequests(): GeneratedArea {
  return {
    area: AREA,
    source:
      "lab/generators/comm_a2a.ts: canonical requests by hand, hashes and signatures by node:crypto",
    cases: [
      validCase(),
      equalFormsCase(),
      changedCase(),
      checksCase(),
      otherMessagesCase(),
      missingCase(),
      createdCase(),
    ],
  };
}
