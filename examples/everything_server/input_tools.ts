/**
 * Tools that send input requests. The handlers work in both protocol eras. In a legacy session, the
 * server sends an input request to the client. In the modern era, the server returns an
 * `input_required` result.
 *
 * @module
 */

import type {
  CreateMessageRequest,
  ElicitRequest,
  InputRequest,
  McpServer,
  RequestContext,
} from "@parley/mcp/server";

/** Creates an elicitation request with one text field. */
export function form(message: string, field: string): ElicitRequest {
  return { method: "elicitation/create", params: { message, requestedSchema: textInput(field) } };
}

/** Creates an elicitation request with one checkbox. */
export function confirmation(message: string, field: string): ElicitRequest {
  const requestedSchema = {
    type: "object",
    properties: { [field]: { type: "boolean" } },
    required: [field],
  };
  return { method: "elicitation/create", params: { message, requestedSchema } };
}

function textInput(name: string): Readonly<Record<string, unknown>> {
  return { type: "object", properties: { [name]: { type: "string" } }, required: [name] };
}

function prompt(text: string): CreateMessageRequest {
  const messages = [{ role: "user", content: { type: "text", text } }] as const;
  return { method: "sampling/createMessage", params: { messages, maxTokens: 100 } };
}

/** A request for the client's roots. */
export const roots = { method: "roots/list" } as const;

async function askModel({ ask }: RequestContext, key: string, question: string): Promise<string> {
  const { content } = await ask(key, prompt(question));
  return "type" in content && content.type === "text" ? content.text : "something else";
}

/** Registers the tools. */
export function addInputTools(server: McpServer): void {
  for (const [name, run] of Object.entries(HANDLERS)) {
    const field = FIELDS[name];
    const schema = field === undefined ? {} : { inputSchema: textInput(field) };
    const tool = { name, description: "Sends input requests", ...schema };
    server.registerTool(tool, (args: Texts, context) => run(context, args[field ?? ""] ?? ""));
  }
  for (const [name, properties] of Object.entries(FORMS)) {
    server.registerTool(
      { name, description: "Sends an elicitation request with a form" },
      async (_args, { ask }) => {
        const requestedSchema = { type: "object", properties };
        const params = { message: "Please fill in the form", requestedSchema };
        const { action, content } = await ask("form", { method: "elicitation/create", params });
        return `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;
      },
    );
  }
}

type Texts = Readonly<Record<string, string>>;

/** Name of the argument to forward, keyed by tool name. */
const FIELDS: Texts = { test_sampling: "prompt", test_elicitation: "message" };

const HANDLERS: Readonly<Record<string, (context: RequestContext, text: string) => unknown>> = {
  test_sampling: async (context, text) =>
    `LLM response: ${await askModel(context, "answer", text)}`,
  test_elicitation: async ({ ask }, text) =>
    `User response: ${JSON.stringify(await ask("user", form(text, "username")))}`,
  test_missing_capability: (context) => askModel(context, "answer", "Hello?"),
  test_streaming_elicitation: async ({ client, ask }) => {
    if (client.capabilities.elicitation === undefined) return "Elicitation is not supported";
    return (await ask("answer", form("Yes?", "answer"))).action;
  },
  test_input_required_result_elicitation: async ({ ask }) => {
    const { content } = await ask("user_name", form("What is your name?", "name"));
    return `Hello, ${content?.name}!`;
  },
  test_input_required_result_sampling: (context) =>
    askModel(context, "capital_question", "What is the capital of France?"),
  test_input_required_result_list_roots: async ({ ask }) =>
    (await ask("client_roots", roots)).roots,
  test_input_required_result_request_state: withState,
  test_input_required_result_tampered_state: withState,
  test_input_required_result_multiple_inputs: async ({ askAll }) => {
    const user_name = form("What is your name?", "name");
    const greeting = prompt("Write a greeting");
    const responses = await askAll({ user_name, greeting, client_roots: roots });
    return `Received:  ${Object.keys(responses).join(", ")}`;
  },
  test_input_required_result_multi_round: async ({ ask }) => {
    const name = await ask("step1", form("Step 1: What is your name?", "name"));
    const color = await ask("step2", form("Step 2: What is your favorite color?", "color"));
    return `${name.content?.name} likes ${color.content?.color}`;
  },
  test_input_required_result_capabilities: async ({ client, askAll }) => {
    const { elicitation, sampling } = client.capabilities;
    const requests: Record<string, InputRequest> = {
      ...(elicitation && { user_name: form("What is your name?", "name") }),
      ...(sampling && { greeting: prompt("Write a greeting") }),
    };
    return `Received:  ${Object.keys(await askAll(requests)).join(", ")}`;
  },
};

async function withState({ ask, saveState, savedState }: RequestContext): Promise<string> {
  saveState("round 1");
  const { action } = await ask("confirm", confirmation("Continue?", "ok"));
  return savedState === "round 1" ? `state-ok: ${action}` : "no state";
}

const OPTIONS = ["option1", "option2", "option3"];

const FORMS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  test_elicitation_sep1034_defaults: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: "string", enum: OPTIONS },
    titledSingle: { type: "string", oneOf: titled("Option") },
    legacyEnum: { type: "string", enum: OPTIONS, enumNames: ["One", "Two", "Three"] },
    untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
    titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
  },
};

function titled(kind: string): object[] {
  return ["1", "2", "3"].map((n) => ({ const: `value${n}`, title: `${kind} ${n}` }));
}
