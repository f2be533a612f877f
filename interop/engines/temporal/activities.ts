/**
 * Workflow activities, with scripted models.
 *
 * @module
 */

import { ApplicationFailure } from "@temporalio/activity";
import { AgentError, type LanguageModel, type ModelRequest } from "@parley/runtime";
import {
  type ModelActivity,
  runModelActivity,
  type ToolActivityCall,
} from "@parley/runtime/temporal";
import { scriptedModel, type ScriptedTurn } from "@parley/runtime/testing";

const CLERK: readonly ScriptedTurn[] = [
  {
    calls: [
      { toolName: "look", input: { at: "a" }, toolCallId: "look-a" },
      { toolName: "look", input: { at: "b" }, toolCallId: "look-b" },
    ],
  },
  { calls: [{ toolName: "pay", input: { euros: 5 }, toolCallId: "pay-5" }] },
  { calls: [{ toolName: "helper", input: { task: "Search c" }, toolCallId: "helper-c" }] },
  { text: "Paid" },
];
const HELPER: readonly ScriptedTurn[] = [
  { calls: [{ toolName: "look", input: { at: "c" }, toolCallId: "look-c" }] },
  { text: "c is fine" },
];

export const callClerk: ModelActivity = modelActivity(nextOf(CLERK));
export const callHelper: ModelActivity = modelActivity(nextOf(HELPER));
export const callCounter: ModelActivity = modelActivity(nextOf([{ text: '{"count":3}' }]));
export const callBroken: ModelActivity = modelActivity({
  modelId: "broken",
  generate: () => Promise.reject(AgentError.modelError("401 Unauthorized")),
});

/** Searches for a place. The place `b` does not exist. */
export function look(input: { at: string }): Promise<{ seen: string }> {
  if (input.at === "b") return Promise.reject(new RangeError("Cannot find place b"));
  return Promise.resolve({ seen: input.at });
}

export function pay(_input: unknown, { idempotencyKey }: ToolActivityCall): Promise<string> {
  return Promise.resolve(idempotencyKey);
}

function modelActivity(model: LanguageModel): ModelActivity {
  return (request) => runModelActivity(model, request, { ApplicationFailure });
}

/** A stateless model: the turn depends on the number of earlier responses. */
function nextOf(turns: readonly ScriptedTurn[]): LanguageModel {
  return {
    modelId: "scripted",
    generate(request: ModelRequest) {
      const turn = turns[request.messages.filter(({ role }) => role === "assistant").length];
      return scriptedModel(turn === undefined ? [] : [turn]).generate(request);
    },
  };
}
