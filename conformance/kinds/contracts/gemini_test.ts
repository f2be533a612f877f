import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../kit/json.ts";
import type { ProviderRecord } from "../provider_exchange.ts";
import { CONTRACT_RULES } from "./contract_rules.ts";
import { problemsOfValid, problemsOfViolations, record } from "./rule_tables.ts";

// Gemini: the shapes of the requests of @google/genai.

function part(name: string, args: JsonObject = { a: 1 }): JsonObject {
  return { functionCall: { id: `id-${name}`, name, args } };
}

function reply(name: string): JsonObject {
  return { functionResponse: { id: `id-${name}`, name, response: { output: 1 } } };
}

const SIGNED: JsonObject = { ...part("add"), thoughtSignature: "sig-1" };
const DECLARED: JsonObject = {
  functionDeclarations: [{ name: "add", parameters: { type: "OBJECT" } }],
};

function contents(...all: readonly JsonObject[]): JsonObject {
  return { contents: [{ role: "user", parts: [{ text: "go" }] }, ...all], tools: [DECLARED] };
}

function model(...parts: readonly JsonObject[]): JsonObject {
  return { role: "model", parts };
}

function answers(...parts: readonly JsonObject[]): JsonObject {
  return { role: "user", parts };
}

function geminiRecord(second: JsonObject, parts: readonly JsonObject[]): ProviderRecord {
  return record("gemini", {
    requests: [contents(), second],
    replies: [{ json: { candidates: [{ content: { role: "model", parts } }] } }],
  });
}

Deno.test("the rules of Gemini accept the conversations of correct clients", () => {
  assertEquals(
    problemsOfValid("gemini", [
      geminiRecord(contents(model(SIGNED, part("sub")), answers(reply("add"), reply("sub"))), [
        { text: "thought", thought: true },
        SIGNED,
        part("sub"),
      ]),
      geminiRecord(contents(model({ text: "I add" }, part("add")), answers(reply("add"))), [
        { text: "I " },
        { text: "add" },
        part("add"),
      ]),
      geminiRecord(contents(model(part("add")), { ...answers(reply("add")), role: "function" }), [
        part("add"),
      ]),
    ]),
    [],
  );
});

Deno.test("responses in several contents violate one rule of Gemini, not several", () => {
  const two = [part("add"), part("sub")];
  const split = contents(model(...two), answers(reply("add")), answers(reply("sub")));
  const broken = CONTRACT_RULES.filter(({ api, check }) =>
    api === "gemini" && check(geminiRecord(split, two)).violations.length > 0
  );
  assertEquals(broken.map(({ name }) => name), ["one-result-for-each-call"]);
});

Deno.test("each rule of Gemini finds its violation", () => {
  const one = [part("add")];
  const two = [part("add"), part("sub")];
  assertEquals(
    problemsOfViolations("gemini", [
      ["one-result-for-each-call", geminiRecord(contents(model(...one)), one), "0 responses"],
      [
        "one-result-for-each-call",
        geminiRecord(contents(model(...two), answers(reply("add")), answers(reply("sub"))), two),
        "2 calls in contents[1], but 1",
      ],
      ["results-answer-calls", geminiRecord(contents(answers(reply("add"))), one), "contents[1]"],
      [
        "results-have-the-id-of-their-call",
        geminiRecord(
          contents(
            model(...one),
            answers({ functionResponse: { name: "add", response: { output: 1 } } }),
          ),
          one,
        ),
        "id-add",
      ],
      [
        "results-have-the-name-of-their-call",
        geminiRecord(contents(model(...one), answers(reply("sub"))), one),
        "sub",
      ],
      [
        "results-are-objects",
        geminiRecord(
          contents(
            model(...one),
            answers({ functionResponse: { id: "id-add", name: "add", response: "1" } }),
          ),
          one,
        ),
        "function response",
      ],
      [
        "input-is-an-object",
        geminiRecord(
          contents(model({ functionCall: { name: "add", args: "{}" } }), answers(reply("add"))),
          one,
        ),
        "args",
      ],
      ["roles", geminiRecord(contents({ role: "assistant", parts: [] }), one), "assistant"],
      [
        "tool-names",
        geminiRecord(
          { ...contents(), tools: [{ functionDeclarations: [{ name: "a b" }] }] },
          one,
        ),
        "a b",
      ],
      [
        "tool-schemas",
        geminiRecord(
          { ...contents(), tools: [{ functionDeclarations: [{ name: "a", parameters: "{}" }] }] },
          one,
        ),
        "parameters",
      ],
      [
        "signatures-are-sent-back",
        geminiRecord(contents(model(...one), answers(reply("add"))), [SIGNED]),
        "sig-1",
      ],
      [
        "signatures-are-sent-back",
        geminiRecord(
          contents(model({ text: "", thoughtSignature: "sig-1" }, ...one), answers(reply("add"))),
          [SIGNED],
        ),
        "not at the part",
      ],
      [
        "the-whole-answer-is-sent-back",
        geminiRecord(contents(model(...one), answers(reply("add"))), [{ text: "I add" }, ...one]),
        "I add",
      ],
    ]),
    [],
  );
});
