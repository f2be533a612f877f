/**
 * A strict server of the Gemini API with a model since Gemini 3.
 *
 * @see https://ai.google.dev/api/generate-content
 * @module
 */

import { IMAGE, must, mustBeFile, mustBeTool, type Wire } from "./checks.ts";
import { readInput } from "./messages.ts";
import type { Answer } from "./random.ts";
import { Signatures, type StrictApi } from "./server.ts";

const NAMES = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

/** The documented signature for calls of other models, in base64. */
const SKIP = btoa("skip_thought_signature_validator");

const FILES = [
  "image/png",
  "image/jpeg",
  "image/webp",
  "application/pdf",
  "audio/wav",
  "audio/mpeg",
];

/** A strict server of the API. */
export class StrictGemini implements StrictApi {
  readonly #signatures = new Signatures("gemini");
  #count = 0;

  check({ contents, tools = [] }: Wire): void {
    for (const { functionDeclarations = [] } of tools) {
      for (const { name, parametersJsonSchema } of functionDeclarations) {
        mustBeTool(name, parametersJsonSchema, NAMES);
      }
    }
    must(contents[0]?.role === "user", "the first turn must be of the user");
    must(contents.at(-1).role === "user", "the last turn must be of the user");
    let calls: Wire[] = [];
    for (const [index, { role, parts }] of contents.entries()) {
      must(role !== contents[index - 1]?.role, "turns must alternate");
      must(Array.isArray(parts) && parts.length > 0, "a turn without parts");
      for (const part of parts) this.#checkPart(part, role);
      const responses = parts.flatMap((part: Wire) => part.functionResponse ?? []);
      must(responses.length === calls.length, "one response for each call", { calls, responses });
      for (const [at, { name, id }] of responses.entries()) {
        must(name === calls[at].name && id === calls[at].id, "order of the responses", responses);
      }
      calls = parts.flatMap((part: Wire) => part.functionCall ?? []);
      const first = parts.find((part: Wire) => part.functionCall !== undefined);
      const { thoughtSignature } = first ?? {};
      must(
        first === undefined || thoughtSignature === SKIP || this.#signatures.has(thoughtSignature),
        "the first call of a turn needs a signature",
        first,
      );
    }
  }

  #checkPart(part: Wire, role: string): void {
    const { thought: _, thoughtSignature, ...data } = part;
    const names = Object.keys(data);
    must(names.length === 1, "a part must have one kind of data", part);
    must(
      thoughtSignature === undefined || thoughtSignature === SKIP ||
        this.#signatures.has(thoughtSignature),
      "signature of another server",
      part,
    );
    switch (names[0]) {
      case "text":
        must(data.text !== "" || thoughtSignature !== undefined, "an empty text", part);
        break;
      case "functionCall":
        must(role === "model" && NAMES.test(data.functionCall.name), "name of a call", part);
        must(typeof data.functionCall.args === "object", "arguments of a call", part);
        break;
      case "functionResponse":
        must(role === "user", "a response of the model");
        must(typeof data.functionResponse.response === "object", "content of a response", part);
        for (const each of data.functionResponse.parts ?? []) this.#checkPart(each, "user");
        break;
      case "inlineData":
        mustBeFile(data.inlineData.mimeType, data.inlineData.data, FILES);
        break;
      default:
        must(false, "unknown part", part);
    }
  }

  answer({ reasoning, text, calls, image }: Answer): object {
    const number = this.#count++;
    const parts = [
      ...reasoning ? [{ text: "Let me see", thought: true }] : [],
      ...text === "" ? [] : [{ text }],
      ...image === true ? [{ inlineData: { mimeType: "image/png", data: IMAGE } }] : [],
      ...calls.map(({ name, input, hasId }, index) => ({
        functionCall: {
          ...hasId ? { id: `fc-${number}-${index}` } : {},
          name,
          args: readInput(input),
        },
        ...index === 0 ? { thoughtSignature: this.#signatures.create() } : {},
      })),
    ];
    return {
      responseId: `r${number}`,
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
  }
}
