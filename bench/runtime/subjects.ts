/**
 * The same agent run with each compared library: `iterations - 1` responses with `calls` tool calls
 * each, followed by a text response.
 *
 * Models respond immediately, so only the loop is measured.
 *
 * @module
 */

import { loadAiSdk, loadOpenAiAgents } from "./peers.ts";
import { runHandMade } from "./hand_made.ts";
import {
  type AssistantMessage,
  type JsonSchema,
  type JsonValue,
  type LanguageModel,
  type LoopOptions,
  type ModelMessage,
  runToolLoop,
  ToolRegistry,
} from "@parley/runtime";

/** Number of messages and calls in an agent run, and length of the tool results. */
export interface Shape {
  /** Number of model calls. */
  readonly iterations: number;
  /** Number of tool calls in each response except the last. */
  readonly calls: number;
  /** Number of earlier messages in the conversation. */
  readonly history: number;
  /** Length of the tool result, in characters. */
  readonly payload: number;
  /**
   * Number of registered tools, of which the run calls only one. Used by `@parley/runtime`.
   *
   * @default {1}
   */
  readonly tools?: number;
}

/** Performs the agent run once. Returns the loop's output so that the caller can retain it. */
export type Run = () => Promise<unknown>;

/** Prepares agent runs with the given numbers of messages and calls. */
export type Subject = (shape: Shape) => Promise<Run>;

interface Input {
  readonly n: number;
}

/** Input schema of the tool, and a matching input. */
interface Work {
  readonly schema: JsonSchema;
  /** Returns the input of a tool call as JSON text, as models return it. */
  readonly inputText: (turn: number, call: number) => string;
}

const TWO_PROPERTIES: Work = {
  schema: { type: "object", properties: { n: { type: "number" }, c: { type: "number" } } },
  inputText: (turn, call) => `{"n":${turn},"c":${call}}`,
};

const FIVE_PROPERTIES: Work = {
  schema: {
    type: "object",
    properties: {
      n: { type: "number" },
      c: { type: "integer", minimum: 0 },
      name: { type: "string", minLength: 1 },
      tags: { type: "array", items: { type: "string" } },
      mode: { enum: ["fast", "slow"] },
    },
    required: ["n", "c", "name", "tags", "mode"],
  },
  inputText: (turn, call) =>
    `{"n":${turn},"c":${call},"name":"work","tags":["a","b"],"mode":"fast"}`,
};

type TextTurn = { role: "user" | "assistant"; content: { type: "text"; text: string }[] };

function messagesBefore(history: number): TextTurn[] {
  return Array.from({ length: history }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: [{ type: "text", text: `message ${index}` }],
  }));
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** The minimal loop: no registry, validation, approval, limit, event or error handling. */
function bare({ iterations, calls, history, payload }: Shape): Promise<Run> {
  const big = "x".repeat(payload);
  const tools = new Map([[
    "work",
    (input: Input) => Promise.resolve({ ok: true, n: input.n, big }),
  ]]);
  const before = messagesBefore(history);
  const generate = (turn: number) =>
    Promise.resolve(
      turn >= iterations - 1 ? { content: [{ type: "text", text: "done" } as const], calls: [] } : {
        content: [],
        calls: range(calls).map((call) => ({
          id: `c${turn}_${call}`,
          name: "work",
          input: TWO_PROPERTIES.inputText(turn, call),
        })),
      },
    );
  return Promise.resolve(async () => {
    const messages: unknown[] = [...before, {
      role: "user",
      content: [{ type: "text", text: "go" }],
    }];
    const steps = [];
    for (let turn = 0;; turn++) {
      const response = await generate(turn);
      messages.push({ role: "assistant", content: [...response.content, ...response.calls] });
      if (response.calls.length === 0) return { messages, steps };
      const results = await Promise.all(
        response.calls.map(async ({ id, name, input }) => ({
          id,
          output: await tools.get(name)?.(JSON.parse(input)),
        })),
      );
      messages.push({ role: "tool", content: results });
      steps.push({ turn, response, results });
    }
  });
}

/** The loop written by hand, with the checks and the output of the tool loop. */
function handMade(shape: Shape): Promise<Run> {
  const big = "x".repeat(shape.payload);
  const execute = (input: JsonValue) => Promise.resolve({ ok: true, n: readN(input), big });
  const tools = new Map([["work", { execute }]]);
  const messages: readonly ModelMessage[] = [
    { role: "system", content: "s" },
    ...messagesBefore(shape.history),
    { role: "user", content: [{ type: "text", text: "go" }] },
  ];
  return Promise.resolve(() =>
    runHandMade({
      model: parleyModel(shape, TWO_PROPERTIES),
      tools,
      messages,
      maxIterations: Number.MAX_SAFE_INTEGER,
    })
  );
}

function readN(input: JsonValue): unknown {
  return typeof input === "object" && input !== null ? Reflect.get(input, "n") : undefined;
}

type AnswerPart = AssistantMessage["content"][number];

function parleyModel(
  { iterations, calls }: Shape,
  { inputText }: Work,
  answer: AnswerPart = { type: "text", text: "done" },
): LanguageModel {
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
  let turn = 0;
  return {
    modelId: "instant",
    generate() {
      const now = turn++;
      if (now >= iterations - 1) {
        return Promise.resolve({
          message: { role: "assistant", content: [answer] },
          finishReason: "stop",
          usage,
        });
      }
      const content = range(calls).map((call) => ({
        type: "tool-call" as const,
        toolCallId: `c${now}_${call}`,
        toolName: "work",
        input: JSON.parse(inputText(now, call)),
      }));
      return Promise.resolve({
        message: { role: "assistant", content },
        finishReason: "tool-calls",
        usage,
      });
    },
  };
}

function parley(
  work: Work,
  isValidating: boolean,
  options?: LoopOptions,
  answer?: AnswerPart,
): Subject {
  return async (shape) => {
    const big = "x".repeat(shape.payload);
    const tools = range(shape.tools ?? 1).map((index) => ({
      name: index === 0 ? "work" : `work-${index}`,
      inputSchema: work.schema,
      execute: (input: Input) => Promise.resolve({ ok: true, n: input.n, big }),
    }));
    const registry = new ToolRegistry(
      tools,
      isValidating ? {} : { validator: { compile: () => () => [] } },
    );
    await registry.find("work")?.checkInput({});
    const messages = messagesBefore(shape.history);
    return () =>
      runToolLoop(
        {
          ...options,
          model: parleyModel(shape, work, answer),
          registry,
          messages,
          systemPrompt: "s",
          maxIterations: Number.MAX_SAFE_INTEGER,
        },
        "go",
      );
  };
}

function aiModel({ iterations, calls }: Shape, { inputText }: Work): object {
  const usage = {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  };
  let turn = 0;
  return {
    specificationVersion: "v4",
    provider: "instant",
    modelId: "instant",
    supportedUrls: {},
    doGenerate() {
      const now = turn++;
      const isLast = now >= iterations - 1;
      const content = isLast ? [{ type: "text", text: "done" }] : range(calls).map((call) => ({
        type: "tool-call",
        toolCallId: `c${now}_${call}`,
        toolName: "work",
        input: inputText(now, call),
      }));
      const finishReason = isLast
        ? { unified: "stop", raw: "stop" } as const
        : { unified: "tool-calls", raw: "tool_calls" } as const;
      return Promise.resolve({ content, finishReason, usage, warnings: [] });
    },
    doStream: () => Promise.reject(new Error("streaming is not supported")),
  };
}

function ai(work: Work): Subject {
  return async (shape) => {
    const { ToolLoopAgent, isStepCount, jsonSchema, tool } = await loadAiSdk();
    const big = "x".repeat(shape.payload);
    const aiTool = tool({
      description: "w",
      inputSchema: jsonSchema(work.schema),
      execute: (input: Input) => Promise.resolve({ ok: true, n: input.n, big }),
    });
    const messages = [...messagesBefore(shape.history), { role: "user" as const, content: "go" }];
    return () =>
      new ToolLoopAgent({
        model: aiModel(shape, work),
        instructions: "s",
        tools: { work: aiTool },
        stopWhen: isStepCount(Number.MAX_SAFE_INTEGER),
      }).generate({ messages });
  };
}

async function openaiAgents({ iterations, calls, history, payload }: Shape): Promise<Run> {
  const { Agent, Runner, tool, Usage } = await loadOpenAiAgents();
  const big = "x".repeat(payload);
  const work = tool({
    name: "work",
    description: "w",
    strict: false,
    parameters: { ...TWO_PROPERTIES.schema, additionalProperties: true },
    execute: (input: Input) => Promise.resolve({ ok: true, n: input.n, big }),
  });
  const input = [
    ...messagesBefore(history).map(({ role, content: [part] }) =>
      role === "user"
        ? { type: "message", role, content: [{ type: "input_text", text: part?.text }] }
        : {
          type: "message",
          role,
          status: "completed",
          content: [{ type: "output_text", text: part?.text }],
        }
    ),
    { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
  ];
  return () => {
    let turn = 0;
    const model = {
      getResponse() {
        const now = turn++;
        const output = now >= iterations - 1
          ? [{
            type: "message",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "done" }],
          }]
          : range(calls).map((call) => ({
            type: "function_call",
            name: "work",
            callId: `c${now}_${call}`,
            arguments: TWO_PROPERTIES.inputText(now, call),
            status: "completed",
          }));
        return Promise.resolve({
          usage: new Usage({ inputTokens: 10, outputTokens: 5, totalTokens: 15 }),
          output,
          responseId: `r${now}`,
        });
      },
      getStreamedResponse: () => Promise.reject(new Error("streaming is not supported")),
    };
    const agent = new Agent({ name: "a", instructions: "s", model: model, tools: [work] });
    return new Runner({ tracingDisabled: true }).run(agent, input, {
      maxTurns: Number.MAX_SAFE_INTEGER,
    });
  };
}

const TOTAL: JsonSchema = {
  type: "object",
  properties: { total: { type: "number" } },
  required: ["total"],
};

/**
 * The tool loop without options, and with each of the measured options. `prepareIteration` returns
 * an empty plan.
 */
export const PARLEY_OPTIONS: Readonly<Record<string, Subject>> = {
  "none": parley(TWO_PROPERTIES, false),
  "prepareIteration": parley(TWO_PROPERTIES, false, { prepareIteration: () => ({}) }),
  "outputTool": parley(TWO_PROPERTIES, false, { output: TOTAL, outputMode: "tool" }, {
    type: "tool-call",
    toolCallId: "c",
    toolName: "final_answer",
    input: { total: 1 },
  }),
  "outputNative": parley(TWO_PROPERTIES, false, { output: TOTAL, outputMode: "native" }, {
    type: "text",
    text: '{"total":1}',
  }),
  "around": parley(TWO_PROPERTIES, false, { around: (_step, next) => next() }),
};

/**
 * Compared libraries and loops, keyed by name. Entries whose name contains `validating` use the
 * schema with five properties.
 */
export const SUBJECTS: Readonly<Record<string, Subject>> = {
  "bare": bare,
  "hand-made": handMade,
  "parley": parley(TWO_PROPERTIES, false),
  "parley-validating": parley(FIVE_PROPERTIES, true),
  "ai": ai(TWO_PROPERTIES),
  "ai-validating": ai(FIVE_PROPERTIES),
  "openai-agents": openaiAgents,
};
