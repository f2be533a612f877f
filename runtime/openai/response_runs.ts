/**
 * Starts, continues and finds the runs of responses.
 *
 * @module
 */

import { shortHash } from "@parley/internal/short-hash";
import type { Caller, ServedAgent, ServedRun } from "../serve/contracts.ts";
import { ApiError, invalid, unsupported } from "./api_error.ts";
import { waitsForInput } from "./chat_response.ts";
import type { EndpointSettings } from "./endpoint.ts";
import { approvalIdOf, hasApprovals, ResponseEncoder } from "./response_encoder.ts";
import { firstPart, formatResponseId, readResponseId, type ResponsePart } from "./response_id.ts";
import {
  formatResponse,
  readRunMetadata,
  type ResponseHead,
  type StoredResponse,
  toRunMetadata,
} from "./response_object.ts";
import type { ApprovalResponse, ResponseRequest } from "./responses_request.ts";
import { RunOutput } from "./run_output.ts";

/** A response and its run. */
export class OpenedResponse {
  readonly run: ServedRun;
  readonly head: ResponseHead;
  readonly #from: number;
  readonly #settings: EndpointSettings;
  readonly #decides: boolean;

  constructor(
    run: ServedRun,
    { decides, part, settings, ...head }: StoredResponse & {
      readonly decides: boolean;
      readonly isStored: boolean;
      readonly part: ResponsePart;
      readonly settings: EndpointSettings;
    },
  ) {
    this.run = run;
    this.head = { ...head, id: formatResponseId(part), startedAt: run.startedAt };
    this.#from = part.from;
    this.#settings = settings;
    this.#decides = decides;
  }

  /** Returns the encoder of the response, which reads the run from its beginning. */
  encode(signal: AbortSignal): ResponseEncoder {
    const endsAt = this.#decides ? hasApprovals : () => false;
    const output = new RunOutput(this.run, { signal, endsAt, from: this.#from });
    return new ResponseEncoder(this.head, output, this.#settings.errors);
  }

  /**
   * Cancels a run that was not read to its end, if nobody can find it anymore. Errors are reported.
   */
  async giveUp(): Promise<void> {
    try {
      if (!this.head.isStored) await this.run.cancel();
    } catch (error) {
      this.#settings.errors.report(error);
    }
  }

  /** Returns the response as it is now. The output of a response in progress is empty. */
  async describe(): Promise<Response> {
    const { status, waitingFor } = this.run.state;
    const isOpen = status === "queued" || status === "running" ||
      status === "waiting" && !(this.#decides && hasApprovals(waitingFor));
    const state = isOpen
      ? { status: "in_progress" as const, output: [] }
      : await this.encode(new AbortController().signal).read();
    return Response.json(formatResponse(this.head, state));
  }
}

/** A request for a response. */
export interface ResponseStart {
  readonly agent: ServedAgent;
  readonly caller: Caller;
  /** Whether the caller decides on tool calls. */
  readonly decides: boolean;
  readonly model: string;
  readonly request: ResponseRequest;
}

/** Starts the run of a response, or continues a run with decisions. */
export async function openResponse(
  start: ResponseStart,
  settings: EndpointSettings,
): Promise<OpenedResponse> {
  const { agent, caller, decides, model, request } = start;
  const { conversationId, input, isBackground, isStored, metadata, previousId } = request;
  const stored = { model, isBackground, metadata, previousId, conversationId };
  const previous = await findPrevious(start);
  if ("approvals" in input) {
    if (Object.keys(metadata).length > 0) {
      throw unsupported("metadata", "the response belongs to a run that has its metadata");
    }
    const part = await decide(previous, input.approvals, decides);
    const run = await agent.get(caller, part.runId);
    if (run === undefined) throw previousNotFound();
    return new OpenedResponse(run, { ...stored, decides, isStored, part, settings });
  }
  const { messages, turn } = input;
  const sessionId = conversationId ?? previous?.run.sessionId;
  const run = await agent.start(caller, {
    turn,
    metadata: isStored ? toRunMetadata(stored) : { openai: { model } },
    ...sessionId !== undefined && { sessionId },
    ...messages.length > 0 && { messages },
    ...!isStored && { isTemporary: true },
  });
  const part = firstPart(model, run.id);
  return new OpenedResponse(run, { ...stored, decides, isStored, part, settings });
}

/** The response that a request continues. */
interface PreviousResponse {
  readonly run: ServedRun;
  readonly part: ResponsePart;
}

/** Finds the response that a request continues, which must be the newest one of its session. */
async function findPrevious(
  { agent, caller, model, request: { conversationId, input, previousId } }: ResponseStart,
): Promise<PreviousResponse | undefined> {
  if (conversationId !== undefined) {
    if (!("approvals" in input)) return undefined;
    const run = await newestOf(agent, caller, conversationId);
    // A decision on a run that another protocol has started is not the caller's.
    const isResponse = run !== undefined && readRunMetadata(run.metadata)?.model === model;
    return isResponse ? { run, part: firstPart(model, run.id) } : undefined;
  }
  if (previousId === undefined) return undefined;
  const part = readResponseId(previousId);
  if (part?.modelHash !== shortHash(model)) throw previousNotFound();
  const run = await agent.get(caller, part.runId);
  if (run === undefined || readRunMetadata(run.metadata)?.model !== model) throw previousNotFound();
  const newest = await newestOf(agent, caller, run.sessionId);
  if (newest?.id === run.id) return { run, part };
  throw new ApiError(400, "Only the newest response of a conversation can be continued", {
    param: "previous_response_id",
    code: "previous_response_not_newest",
  });
}

async function newestOf(
  agent: ServedAgent,
  caller: Caller,
  sessionId: string,
): Promise<ServedRun | undefined> {
  const { runs } = await agent.list(caller, { sessionId, limit: 1 });
  return runs[0];
}

function previousNotFound(): ApiError {
  return new ApiError(400, "The previous response does not exist", {
    param: "previous_response_id",
    code: "previous_response_not_found",
  });
}

/** Sends decisions to a run that waits. Returns the response that contains its next events. */
async function decide(
  previous: PreviousResponse | undefined,
  approvals: readonly ApprovalResponse[],
  decides: boolean,
): Promise<ResponsePart> {
  if (!decides) {
    throw unsupported("input", "the caller cannot decide on tool calls of this endpoint");
  }
  if (previous === undefined) throw notRequested();
  const { part, run } = previous;
  const keys = await keysOf(run);
  const sent = approvals.map((approval) => {
    const key = keys.get(approval.requestId);
    if (key === undefined) throw notRequested();
    return { ...approval, key };
  });
  const from = await nextIteration(run);
  for (const { isApproved, key, reason } of sent) {
    const decision = isApproved
      ? { decision: "approve" as const }
      : { decision: "deny" as const, ...reason !== undefined && { reason } };
    if (!await run.input(key, decision)) throw notRequested();
  }
  return { ...part, from, number: part.number + 1 };
}

/** Returns the keys of the decisions that a run waits for, keyed by the ids of their items. */
async function keysOf({ state }: ServedRun): Promise<ReadonlyMap<string, string>> {
  const keys = state.waitingFor.flatMap(({ key, kind }) => kind === "approval" ? [key] : []);
  return new Map(
    await Promise.all(keys.map(async (key) => [await approvalIdOf(key), key] as const)),
  );
}

function notRequested(): ApiError {
  return invalid("input", "responses to the approval requests that the run waits for");
}

/** Returns the index of the iteration after the one that waits. */
async function nextIteration(run: ServedRun): Promise<number> {
  const { signal } = new AbortController();
  const output = new RunOutput(run, { signal, endsAt: waitsForInput });
  for await (const _ of output.parts());
  return output.iterations;
}

/** Finds a stored response of a caller. */
export async function findResponse(
  { caller, decides, id }: {
    readonly caller: Caller;
    readonly decides: boolean;
    readonly id: string;
  },
  settings: EndpointSettings,
): Promise<OpenedResponse> {
  const part = readResponseId(id);
  for (const [model, agent] of settings.models) {
    if (part === undefined || part.modelHash !== shortHash(model)) continue;
    const run = await agent.get(caller, part.runId);
    const stored = run && readRunMetadata(run.metadata);
    if (run === undefined || stored?.model !== model) continue;
    return new OpenedResponse(run, { ...stored, decides, isStored: true, part, settings });
  }
  throw new ApiError(404, "The response does not exist", { code: "response_not_found" });
}
