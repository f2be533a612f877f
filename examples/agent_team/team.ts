/**
 * Two agents that publish release notes. The writer delegates the check to a sub-agent. The
 * publisher needs approval before it publishes.
 *
 * @module
 */

import {
  jsonSchema,
  type LanguageModel,
  type LoopEventSink,
  type ModelMessage,
  runSubAgentTask,
  SequentialWorkflow,
  ToolLoopAgent,
} from "@parley/runtime";
import { type ScriptedAnswer, scriptedModel } from "@parley/runtime/testing";

const CHANGES = [
  { kind: "fix", text: "an aborted run keeps its transcript valid" },
  { kind: "internal", text: "rename the test helpers" },
  { kind: "feature", text: "approvals can be deferred" },
];

const WORDS_TO_AVOID = ["exciting", "blazing"];

/** A fake website. */
export interface Site {
  /** Publishes text. Returns the number of calls to `publish` so far. */
  publish(text: string): number;
}

/** Returns the text of the last message. */
function lastText(messages: readonly ModelMessage[]): string {
  const last = messages.at(-1);
  if (last === undefined || typeof last.content === "string") return "";
  return last.content.map((part) => {
    if (part.type === "text") return part.text;
    return part.type === "tool-result" && "value" in part.output ? String(part.output.value) : "";
  }).join("");
}

/**
 * Creates a model that computes its response from the last message. The model needs neither an API
 * key nor network access. For a real model, use an adapter from `@parley/runtime/models`.
 */
function ruleModel(decide: (text: string, isFirst: boolean) => ScriptedAnswer): LanguageModel {
  const answers = Array.from(
    { length: 20 },
    () => ({ messages }: { messages: readonly ModelMessage[] }) =>
      decide(lastText(messages), messages.at(-1)?.role === "user"),
  );
  return scriptedModel(answers, "rules");
}

/** Creates the agent that writes the release notes. */
export function createWriter(): ToolLoopAgent {
  const writer: ToolLoopAgent = new ToolLoopAgent({
    name: "writer",
    systemPrompt: "Write release notes from the change list and check them.",
    model: ruleModel((text, isFirst) => {
      if (isFirst) return { calls: [{ toolName: "list_changes" }] };
      const draft = text.startsWith("- ") ? text : undefined;
      return draft === undefined ? { text } : { calls: [{ toolName: "check", input: { draft } }] };
    }),
    tools: [
      {
        name: "list_changes",
        description: "Returns the changes since the last release",
        inputSchema: { type: "object" },
        annotations: { readOnly: true },
        execute: () =>
          CHANGES.filter(({ kind }) => kind !== "internal").map(({ text }) => `- ${text}`)
            .join("\n"),
      },
      {
        name: "check",
        description: "Checks a draft with a sub-agent",
        inputSchema: jsonSchema<{ draft: string }>({
          type: "object",
          properties: { draft: { type: "string" } },
          required: ["draft"],
        }),
        async execute({ draft }, context) {
          // The checker can access only the word list, not the change list.
          const checker = {
            name: "checker",
            model: checkerModel(draft),
            allowedTools: ["words_to_avoid"],
          };
          const { finalText } = await runSubAgentTask(writer, checker, draft, { context });
          return finalText;
        },
      },
    ],
  });
  // Only the checker uses the word list, so the writer's model does not see this tool.
  writer.registry.register({
    name: "words_to_avoid",
    description: "Returns the words that release notes must not contain",
    inputSchema: { type: "object" },
    annotations: { readOnly: true },
    execute: () => WORDS_TO_AVOID.join(", "),
  }, { hidden: true });
  return writer;
}

function checkerModel(draft: string): LanguageModel {
  return ruleModel((text, isFirst) => {
    if (isFirst) return { calls: [{ toolName: "words_to_avoid" }] };
    const found = text.split(", ").filter((word) => draft.includes(word));
    return {
      text: found.length === 0 ? `Release notes\n${draft}` : `Avoid ${found.join(" and ")}`,
    };
  });
}

/** Creates the agent that publishes text after approval. */
export function createPublisher(site: Site): ToolLoopAgent {
  return new ToolLoopAgent({
    name: "publisher",
    systemPrompt: "Publish the given text.",
    model: ruleModel((text, isFirst) =>
      isFirst
        ? { calls: [{ toolName: "publish", input: { text } }] }
        : { text: text || "Not published" }
    ),
    // Every decision is deferred, so the run ends and can be resumed at any time.
    approvalHandler: ({ tool }) => tool.annotations?.readOnly === true || { decision: "defer" },
    tools: [{
      name: "publish",
      description: "Publishes text on the website",
      inputSchema: jsonSchema<{ text: string }>({
        type: "object",
        properties: { text: { type: "string" } },
        required: ["text"],
      }),
      annotations: { destructive: true },
      execute({ text }) {
        return `Published as number ${site.publish(text)}`;
      },
    }],
  });
}

/** Two agents that write and publish release notes. */
export interface Team extends AsyncDisposable {
  /** Writes the release notes, then publishes them. */
  readonly workflow: SequentialWorkflow;
}

/** Creates the team; a new process also calls `createTeam` before it resumes the workflow. */
export function createTeam(site: Site): Team {
  const agents = [createWriter(), createPublisher(site)];
  return {
    workflow: new SequentialWorkflow("release-notes", agents),
    async [Symbol.asyncDispose]() {
      await Promise.all(agents.map((agent) => agent.terminate()));
    },
  };
}

/** Prints one line per event. */
export function printEvents(print: (line: string) => void): LoopEventSink {
  return (event) => {
    const path = event.path.join(" > ");
    switch (event.type) {
      case "tool_started":
        return print(`${path}: calls ${event.toolCall.toolName}`);
      case "tool_finished":
        return print(
          `${path}: ${event.toolResult.toolName} ${
            event.toolResult.isError ? "failed" : "finished"
          }`,
        );
      case "run_finished":
        return print(`${path}: ended with ${event.stopReason}`);
    }
  };
}
