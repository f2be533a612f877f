/**
 * The configurations in which the A2A compatibility kit tests the endpoint, with the tests that do
 * not pass.
 *
 * @module
 */

import { type Configuration, EXTENDED_CARD } from "./tck_agent.ts";
import type { Expectation } from "./tck_report.ts";

/** A configuration, with its expectations. */
export interface TestedConfiguration extends Configuration {
  /** Tests to run, as an expression for `pytest -k`. If omitted, all of them. */
  readonly select?: string;
  /** Number of these tests, to detect a report that is not complete. */
  readonly tests: number;
  readonly expectations: readonly Expectation[];
}

/** Tests of the binding for gRPC, in any configuration. */
const GRPC: Expectation = {
  outcome: "skipped",
  id: /grpc/i,
  reason: "gRPC is not supported (decision 35), and the card does not declare it",
};

/** Tests of the card that do not pass in any configuration. */
const NO_LAST_MODIFIED: Expectation = {
  outcome: "failed",
  id: /\.test_last_modified_present$/,
  reason: "the header is optional; the card has an ETag, and a date would differ in each process",
};

/** Tests that do not pass in a configuration with all capabilities except an extended card. */
const COMPLETE: readonly Expectation[] = [
  GRPC,
  NO_LAST_MODIFIED,
  {
    outcome: "failed",
    id: /\.test_must_requirement\[CORE-SEND-003-(jsonrpc|http_json)\]$/,
    message: /Incompatible content types/,
    reason: "the server returns the error that the requirement demands, and the kit counts every " +
      "error of this test as a failure",
  },
  {
    outcome: "xfailed",
    id: /^(TestHistoryOrdering|TestHistoryContent)\./,
    message: /CORE-HIST-00[56]/,
    reason: "the history contains only the message that has started the task (level SHOULD)",
  },
  {
    outcome: "skipped",
    id: /./,
    message: /^Agent supports (streaming|push notifications)/,
    reason: "the kit tests the errors of agents without these capabilities; for push " +
      "notifications, in another configuration",
  },
  {
    outcome: "skipped",
    id: /^TestCapabilityExtensionRequired\./,
    reason: "tested in another configuration",
  },
  {
    outcome: "skipped",
    id: /\[CARD-EXT-00[12]-/,
    message: /does not declare capabilities for: \['agent-card'\]/,
    reason: "tested in another configuration",
  },
  {
    outcome: "skipped",
    id: /\.test_should_requirement\[no-requirements-/,
    reason: "the kit has no requirement at this level",
  },
];

const EXTENSION = { uri: "urn:a2a:tck:required-extension" } as const;

export const CONFIGURATIONS: readonly TestedConfiguration[] = [
  {
    name: "sessions",
    agent: "sessions",
    options: { push: { allowPrivateAddresses: true }, extensions: [EXTENSION] },
    tests: 265,
    expectations: COMPLETE,
  },
  {
    name: "runs",
    agent: "runs",
    options: { push: { allowPrivateAddresses: true }, extensions: [EXTENSION] },
    tests: 265,
    expectations: COMPLETE,
  },
  {
    name: "required extension",
    agent: "sessions",
    options: { extensions: [{ ...EXTENSION, isRequired: true }] },
    select: "ExtensionRequired",
    tests: 2,
    expectations: [],
  },
  {
    name: "no push",
    agent: "sessions",
    options: {},
    select: "push or Push or PUSH",
    tests: 35,
    expectations: [GRPC, {
      outcome: "skipped",
      id: /^(TestPushNotificationCrud|TestPushNotificationDelivery)\./,
      reason: "tested in the configurations with push notifications",
    }],
  },
  {
    name: "extended card",
    agent: "sessions",
    options: { extendedCard: () => EXTENDED_CARD },
    isAuthenticated: true,
    select: "CARD or agent_card",
    tests: 17,
    expectations: [GRPC, NO_LAST_MODIFIED, {
      outcome: "skipped",
      id: /\.test_extended_card_not_supported_jsonrpc$/,
      reason: "tested in the other configurations",
    }],
  },
];
