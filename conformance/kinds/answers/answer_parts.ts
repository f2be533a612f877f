/**
 * Parts that the renderers of responses share.
 *
 * @module
 */

import type { EventToSend, HttpBody } from "../../kit/http_message.ts";
import { type JsonObject, readJson } from "../../kit/json.ts";
import type { ProviderAnswer } from "../../kit/provider_turn.ts";

/** A neutral response, and where it is sent. */
export interface AnswerToRender {
  /** The response. */
  readonly answer: ProviderAnswer;
  /** Position of the request in the case; part of the ids in the response. */
  readonly index: number;
  /** Body of the request. */
  readonly body: JsonObject;
}

/** Renders a response as one JSON value, and as the events of a stream. */
export interface AnswerRenderer {
  /** Renders the complete response. */
  readonly whole: (answer: AnswerToRender) => JsonObject;
  /** Renders the events of a stream. */
  readonly events: (answer: AnswerToRender) => readonly EventToSend[];
}

/** Parses the input of a call, for the APIs in which the input is an object. */
export function inputOf(text: string): JsonObject {
  // The cases of these APIs contain only inputs that are JSON objects.
  return (readJson(text)?.value ?? {}) as JsonObject;
}

/** Splits a text into two parts, so that a client must join them. */
export function halves(text: string): readonly [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

/** Creates an event whose type is also a member of its data. */
export function typedEvent(type: string, data: JsonObject): EventToSend {
  return { event: type, data: { type, ...data } };
}

/** Returns the body of a response. */
export function toBody(
  { whole, events }: AnswerRenderer,
  answer: AnswerToRender,
  isStream: boolean,
): HttpBody {
  return isStream ? { events: events(answer) } : { json: whole(answer) };
}
