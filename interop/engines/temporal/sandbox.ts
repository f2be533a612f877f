/**
 * Runs workflows in the Temporal worker's sandbox, without a server: the test acts as the server
 * and runs the activities.
 *
 * @module
 */

import {
  defaultFailureConverter,
  defaultPayloadConverter,
  TypedSearchAttributes,
} from "@temporalio/common";
import proto from "@temporalio/proto";
import { VMWorkflowCreator } from "@temporalio/worker/lib/workflow/vm.js";
import * as activities from "./activities.ts";

/** Commands and result of a workflow. */
export interface Play {
  /** Commands of each activation, as JSON. */
  readonly commands: readonly string[];
  /** Result of the workflow. */
  readonly result?: unknown;
  /** Message of the error that caused the workflow to fail. */
  readonly failure?: string;
}

/** A signal that is sent when the workflow is waiting and no activity is scheduled. */
export interface Signal {
  readonly name: string;
  readonly input: readonly unknown[];
}

type Command = proto.coresdk.workflow_commands.IWorkflowCommand;
type Job = proto.coresdk.workflow_activation.IWorkflowActivationJob;

/** Time at which each workflow starts, in milliseconds since the Unix epoch. */
const STARTED_AT = 1_800_000_000_000;
/** Maximum number of activations of one workflow. */
const MAX_ACTIVATIONS = 50;

/**
 * Program that the worker's bundler generates and the sandbox evaluates. Contexts created by
 * `node:vm` have `queueMicrotask` in Deno but not in Node.js, and Temporal runs on Node.js.
 */
const ENTRY = `
import * as api from "@temporalio/workflow/lib/worker-interface.js";
import { overrideGlobals } from "@temporalio/workflow/lib/global-overrides.js";
import * as workflows from "${import.meta.resolve("./workflows.ts")}";

delete globalThis.queueMicrotask;
overrideGlobals();
// The worker's bundler replaces the two imports of custom converters with empty modules.
globalThis.require = () => ({});
globalThis.__TEMPORAL__ = { api, importWorkflows: () => workflows, importInterceptors: () => [] };
`;

/** Bundles the workflows and creates a sandbox. */
export async function createSandbox(): Promise<VMWorkflowCreator> {
  const code = await bundle();
  return await VMWorkflowCreator.create(
    {
      code,
      filename: "workflows.js",
      sourceMap: { version: 3, sources: [], names: [], mappings: "", file: "workflows.js" },
    },
    10_000,
    new Set(Object.keys(activities)),
  );
}

async function bundle(): Promise<string> {
  const dir = await Deno.makeTempDir({ prefix: "parley-temporal-" });
  try {
    await Deno.writeTextFile(`${dir}/entry.ts`, ENTRY);
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const external = ["payload", "failure"].map((kind) =>
      `--external=__temporal_custom_${kind}_converter`
    );
    const { success, stderr } = await new Deno.Command("deno", {
      args: [
        "bundle",
        "--quiet",
        "--config",
        config,
        "--frozen",
        "--platform=browser",
        "--format=iife",
        ...external,
      ]
        .concat(["--output", `${dir}/out.js`, `${dir}/entry.ts`]),
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return await Deno.readTextFile(`${dir}/out.js`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Runs a workflow until it ends. Activities that are scheduled together are completed together. */
export async function play(
  sandbox: VMWorkflowCreator,
  workflowType: string,
  input: unknown,
  signals: readonly Signal[] = [],
): Promise<Play> {
  const runId = crypto.randomUUID();
  const startTime = new Date(STARTED_AT);
  const workflow = await sandbox.createWorkflow({
    info: {
      workflowType,
      runId,
      workflowId: "run-1",
      namespace: "default",
      firstExecutionRunId: runId,
      originalExecutionRunId: runId,
      attempt: 1,
      taskTimeoutMs: 1000,
      taskQueue: "agents",
      searchAttributes: {},
      typedSearchAttributes: new TypedSearchAttributes(),
      historyLength: 3,
      historySize: 300,
      continueAsNewSuggested: false,
      suggestedContinueAsNewReasons: [],
      targetWorkerDeploymentVersionChanged: false,
      unsafe: {
        isReplaying: false,
        isReplayingHistoryEvents: false,
        now: Date.now,
        random: {
          random: Math.random,
          uuid4: () => crypto.randomUUID(),
          fillRandom: (bytes) => bytes,
        },
      },
      startTime,
      runStartTime: startTime,
    },
    randomnessSeed: [1, 2, 3, 4],
    now: STARTED_AT,
    showStackTraceSources: false,
  });
  const commands: string[] = [];
  const waiting = [...signals];
  const { toPayload } = converter;
  let jobs: Job[] = [{
    initializeWorkflow: { workflowId: "run-1", workflowType, arguments: [toPayload(input)] },
  }];
  try {
    for (let count = 0; count < MAX_ACTIVATIONS; count++) {
      const timestamp = { seconds: STARTED_AT / 1000 + count, nanos: 0 };
      const { successful, failed } = await workflow.activate(
        proto.coresdk.workflow_activation.WorkflowActivation.fromObject({ runId, timestamp, jobs }),
      );
      if (failed) throw new Error(failed.failure?.message ?? "The activation failed");
      const issued = successful?.commands ?? [];
      commands.push(JSON.stringify(issued));
      const end = readEnd(issued);
      if (end !== undefined) return { commands, ...end };
      jobs = await Promise.all(issued.flatMap(runActivity));
      const signal = jobs.length === 0 ? waiting.shift() : undefined;
      if (signal !== undefined) {
        jobs.push({
          signalWorkflow: { signalName: signal.name, input: signal.input.map(toPayload) },
        });
      }
    }
    throw new Error(`The workflow has not ended: ${commands.at(-1)}`);
  } finally {
    await workflow.dispose();
  }
}

const converter = {
  toPayload: (value: unknown) => defaultPayloadConverter.toPayload(value) ?? null,
};

function readEnd(commands: readonly Command[]): Omit<Play, "commands"> | undefined {
  for (const { completeWorkflowExecution: done, failWorkflowExecution: failed } of commands) {
    if (done?.result) return { result: defaultPayloadConverter.fromPayload(done.result) };
    if (failed) return { failure: failed.failure?.message ?? "" };
  }
  return undefined;
}

/**
 * Runs the activity that a command schedules. Returns the job that reports the outcome to the
 * workflow.
 */
function runActivity({ scheduleActivity: scheduled }: Command): Promise<Job>[] {
  if (!scheduled) return [];
  const { seq, activityType, arguments: payloads } = scheduled;
  const activity: unknown = Reflect.get(activities, activityType ?? "");
  if (typeof activity !== "function") throw new Error(`Cannot find activity "${activityType}"`);
  const inputs = (payloads ?? []).map((payload) => defaultPayloadConverter.fromPayload(payload));
  const run = async () => {
    try {
      return { completed: { result: converter.toPayload(await activity(...inputs)) } };
    } catch (cause) {
      const error = defaultFailureConverter.errorToFailure(cause, defaultPayloadConverter);
      const activityFailureInfo = {
        activityType: { name: activityType ?? null },
        activityId: String(seq),
      };
      const failure = { message: "Activity task failed", cause: error, activityFailureInfo };
      return { failed: { failure } };
    }
  };
  return [run().then((result) => ({ resolveActivity: { seq: seq ?? null, result } }))];
}
