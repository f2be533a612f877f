import { assertEquals } from "@std/assert";
import type { ClientCapabilities } from "./capabilities.ts";
import { type InputRequest, isInputResponse, missingCapability } from "./input_request.ts";

const FORM: InputRequest = {
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object" } },
};
const PAGE: InputRequest = {
  method: "elicitation/create",
  params: { mode: "url", message: "?", url: "https://example.org/" },
};
const MODEL: InputRequest = {
  method: "sampling/createMessage",
  params: { messages: [], maxTokens: 1 },
};
const TOOLS: InputRequest = {
  method: "sampling/createMessage",
  params: { messages: [], maxTokens: 1, tools: [] },
};
const TOOL_CHOICE: InputRequest = {
  method: "sampling/createMessage",
  params: { messages: [], maxTokens: 1, toolChoice: { mode: "none" } },
};
const ROOTS: InputRequest = { method: "roots/list" };

/** Test cases: input request, declared capabilities, and missing capability. */
const CASES: readonly [InputRequest, ClientCapabilities, ClientCapabilities | undefined][] = [
  [FORM, {}, { elicitation: { form: {} } }],
  [FORM, { elicitation: {} }, undefined],
  [FORM, { elicitation: { form: {} } }, undefined],
  [FORM, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
  [PAGE, { elicitation: {} }, { elicitation: { url: {} } }],
  [PAGE, { elicitation: { url: {} } }, undefined],
  [MODEL, { elicitation: {} }, { sampling: {} }],
  [MODEL, { sampling: {} }, undefined],
  [TOOLS, { sampling: {} }, { sampling: { tools: {} } }],
  [TOOLS, { sampling: { tools: {} } }, undefined],
  [TOOL_CHOICE, { sampling: {} }, { sampling: { tools: {} } }],
  [TOOL_CHOICE, { sampling: { tools: {} } }, undefined],
  [ROOTS, {}, { roots: {} }],
  [ROOTS, { roots: {} }, undefined],
];

Deno.test("missingCapability() returns the capability that the client does not declare", () => {
  for (const [request, declared, missing] of CASES) {
    assertEquals(
      missingCapability(request, declared),
      missing,
      JSON.stringify([request, declared]),
    );
  }
});

Deno.test("isInputResponse() validates the response to each kind of input request", () => {
  const answer = { role: "assistant", model: "m", content: { type: "text", text: "x" } };
  const yes: readonly [InputRequest, unknown][] = [
    [FORM, { action: "accept", content: { a: 1 } }],
    [FORM, { action: "accept" }],
    [FORM, { action: "decline" }],
    [FORM, { action: "cancel", content: "ignored" }],
    [MODEL, answer],
    [ROOTS, { roots: [] }],
    [ROOTS, { roots: [{ uri: "file:///" }] }],
  ];
  const no: readonly [InputRequest, unknown][] = [
    [FORM, undefined],
    [FORM, "accept"],
    [FORM, {}],
    [FORM, { action: "perhaps" }],
    [FORM, { action: "accept", content: [] }],
    [MODEL, { ...answer, model: 1 }],
    [MODEL, { ...answer, content: "x" }],
    [MODEL, { ...answer, content: null }],
    [ROOTS, { roots: [{}] }],
    [ROOTS, {}],
  ];
  for (const [request, value] of yes) assertEquals(isInputResponse(request, value), true);
  for (const [request, value] of no) {
    assertEquals(isInputResponse(request, value), false, JSON.stringify(value));
  }
});
