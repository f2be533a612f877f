/**
 * A relay in front of an MCP server over HTTP. The relay applies one fault or control.
 *
 *     deno run -A lab/selftest/http_relay.ts RULE PORT COMMAND...
 *
 * The command starts the server, which must print a line with its URL.
 *
 * @module
 */

import { isObject, readJson } from "../../conformance/kit/json.ts";
import { startChild } from "../../conformance/platform/child_process.ts";
import {
  type HttpReply,
  type HttpRequest,
  listenHttp,
  type PlainResponse,
  sendHttp,
} from "../../conformance/platform/http.ts";
import { commandLine, exitNow } from "../../conformance/platform/process.ts";
import { LineSplitter } from "../../conformance/subject/lines.ts";
import { readEvents, type ServerEvent } from "../../conformance/subject/sse.ts";
import { findFault } from "./find_fault.ts";
import type { FaultRule, Message } from "./fault_rule.ts";
import { delayHttp } from "./latency.ts";

/** Hop-by-hop headers, which the relay does not forward. */
const HOP = ["connection", "content-length", "transfer-encoding", "keep-alive"];

/** Forwards HTTP requests and responses, and applies a fault rule to them. */
class HttpRelay {
  readonly #rule: FaultRule;
  readonly #url: string;
  readonly #requests: Map<unknown, Message> = new Map();
  readonly #listening: Set<HttpReply> = new Set();
  #turn: Promise<void> = Promise.resolve();

  constructor(rule: FaultRule, url: string) {
    this.#rule = rule;
    this.#url = url;
  }

  async handle(incoming: HttpRequest, reply: HttpReply): Promise<void> {
    const text = new TextDecoder().decode(incoming.body);
    const value = readJson(text)?.value;
    const message = isObject(value) ? value : undefined;
    const isPost = incoming.method === "POST";
    const answers = isPost ? this.#rule.intercept?.(text, message) : undefined;
    if (answers === "exit") return exitNow(1);
    if (answers === "drop") return send(reply, 202, {}, "");
    const turn = this.#turn;
    const work = this.#exchange(incoming, message, reply, answers?.[0]);
    if (this.#rule.isSerial === true && isPost) {
      this.#turn = turn.then(() => work);
      await turn;
    }
    await work;
  }

  async #exchange(
    incoming: HttpRequest,
    message: Message | undefined,
    reply: HttpReply,
    instead: Message | undefined,
  ): Promise<void> {
    if (this.#rule.isSerial === true) await this.#turn;
    if (message !== undefined && "id" in message && "method" in message) {
      this.#requests.set(message.id, message);
    }
    const text = new TextDecoder().decode(incoming.body);
    const answered = this.#rule.http?.reply?.({ method: incoming.method, message, text });
    if (answered !== undefined) {
      return send(reply, answered.status, answered.headers, answered.text);
    }
    const response = await this.#forward(incoming, message);
    const headers = withoutHop(response.headers);
    const head = { status: response.status, headers, message, method: incoming.method };
    const { status, headers: changed } = this.#rule.http?.head?.(head) ?? head;
    const isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
    if (!isStream) {
      const text = await readText(response.body);
      if (instead === undefined) {
        return this.#answerWhole(reply, { status, headers: changed }, text);
      }
      return send(reply, 200, { "content-type": "application/json" }, JSON.stringify(instead));
    }
    reply.head(status, changed);
    if (incoming.method === "GET") this.#listening.add(reply);
    await readEvents(response.body, (event) => this.#write(reply, this.#changeEvent(event)))
      .catch(() => reply.drop());
    this.#listening.delete(reply);
    if (this.#rule.http?.staysOpen !== true) reply.end();
  }

  #write(reply: HttpReply, text: string): void {
    reply.write(text);
    this.#broadcast(reply, text);
  }

  #broadcast(from: HttpReply, text: string): void {
    if (this.#rule.http?.broadcasts !== true) return;
    for (const each of this.#listening) if (each !== from) each.write(text);
  }

  async #forward(
    { method, headers, body, signal }: HttpRequest,
    message?: Message,
  ): Promise<PlainResponse> {
    const sent = withoutHop(headers);
    return await sendHttp(new URL(this.#url), {
      method,
      headers: this.#rule.http?.request?.(sent, { method, message }) ?? sent,
      signal,
      ...(body.length === 0 ? {} : { body: new TextDecoder().decode(body) }),
    });
  }

  #answerWhole(
    reply: HttpReply,
    { status, headers }: { readonly status: number; readonly headers: Record<string, string> },
    text: string,
  ): void {
    const parsed = readJson(text)?.value;
    if (!isObject(parsed)) return send(reply, status, headers, text);
    const out = this.#change(parsed);
    const [only] = out;
    if (only === undefined) return send(reply, 202, {}, "");
    this.#broadcast(reply, `data: ${toText(only)}\n\n`);
    if (out.length === 1) return send(reply, status, headers, toText(only));
    const events = out.map((each) => `data: ${toText(each).trim()}\n\n`).join("");
    send(reply, status, { ...headers, "content-type": "text/event-stream" }, events);
  }

  #changeEvent({ event, data, id, retry }: ServerEvent): string {
    const changedId = this.#rule.http?.eventId?.(id) ?? id;
    const head = [
      ...(changedId === undefined ? [] : [`id: ${changedId}`]),
      ...(retry === undefined ? [] : [`retry: ${retry}`]),
      `event: ${this.#rule.http?.eventType?.(event) ?? event}`,
    ].join("\n");
    const parsed = readJson(data)?.value;
    const out = isObject(parsed) ? this.#change(parsed) : [data];
    return out.map((each) => `${head}\ndata: ${toText(each).trim()}\n\n`).join("");
  }

  #change(value: Message): readonly (Message | string)[] {
    const request = "method" in value ? undefined : this.#requests.get(value.id);
    return this.#rule.answer?.(value, request === undefined ? {} : { request }) ?? [value];
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text;
}

function toText(each: Message | string): string {
  return typeof each === "string" ? each : JSON.stringify(each);
}

function send(
  reply: HttpReply,
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
): void {
  reply.head(status, headers);
  if (text !== "") reply.write(text);
  reply.end();
}

function withoutHop(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.includes(name)));
}

/** Starts the server and returns the URL that it prints. */
function startServer(command: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const line = (text: string): void => {
      const url = /https?:\/\/\S+/.exec(text)?.[0];
      if (url !== undefined) resolve(url);
    };
    const lines = new LineSplitter({ line, overflow: () => exitNow(1) }, 65_536);
    startChild(command, { onOutput: (chunk) => lines.push(chunk) })
      .then((child) => child.exited)
      .then(() => exitNow(1));
  });
}

async function main([id = "", port = "0", ...command]: readonly string[]): Promise<void> {
  const rule = findFault(id);
  const relay = new HttpRelay(rule, await startServer(command));
  await listenHttp(async (request, reply) => {
    const { delayMs } = rule;
    const delayed = delayMs === undefined
      ? { request, reply }
      : await delayHttp(request, reply, delayMs);
    await relay.handle(delayed.request, delayed.reply);
  }, Number(port));
}

if (import.meta.main) await main(commandLine());
