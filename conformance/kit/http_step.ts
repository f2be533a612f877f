/**
 * Steps of exchange cases on single HTTP connections.
 *
 * @module
 */

import type { HttpBody, HttpCall, HttpHead } from "./http_message.ts";
import type { JsonValue } from "./json.ts";

/** A step on a single HTTP connection. */
export type HttpStep =
  | {
    readonly http: HttpCall;
    readonly withinMs?: number;
    readonly expect: JsonValue;
    readonly optional?: string;
  }
  | {
    readonly stream: HttpCall;
    readonly as: string;
    readonly withinMs?: number;
    readonly expect?: JsonValue;
    readonly optional?: string;
    readonly late?: string;
  }
  | { readonly noEvent: JsonValue; readonly on: string; readonly forMs?: number }
  | {
    readonly event: string;
    readonly withinMs?: number;
    readonly expect: JsonValue;
    readonly optional?: string;
  }
  | { readonly cut: string }
  | { readonly ended: string; readonly withinMs?: number }
  | { readonly accept: JsonValue; readonly as: string; readonly withinMs?: number }
  | { readonly unasked: JsonValue; readonly forMs?: number }
  | { readonly refuseAll: number }
  | { readonly reply: HttpBody & HttpHead; readonly to: string; readonly more?: true }
  | { readonly write: HttpBody; readonly to: string; readonly more?: true }
  | { readonly drop: string };
