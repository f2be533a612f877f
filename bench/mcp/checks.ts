/**
 * Sends requests that a server should reject, and determines which of them each server accepts.
 *
 * @module
 */

import { request } from "node:http";
import type { Checks } from "../report.ts";
import type { Served } from "./http.ts";
import { Subject } from "./subject.ts";
import { callHeaders, callText, type ProtocolVersion } from "./tool.ts";

/** A request. */
interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Functions that damage a valid request, keyed by the description of the damage. */
const DAMAGES: Readonly<Record<string, (post: Post, version: ProtocolVersion) => Post>> = {
  "a foreign Host": (post) => withHeader(post, "host", "attacker.example"),
  "a foreign Origin": (post) => withHeader(post, "origin", "https://attacker.example"),
  "an unknown protocol version": (post, version) => ({
    headers: { ...post.headers, "mcp-protocol-version": "1999-01-01" },
    body: post.body.replace(version, "1999-01-01"),
  }),
  "a body of text/plain": (post) => withHeader(post, "content-type", "text/plain"),
  "JSON-RPC 1.0": (post) => withBody(post, '"jsonrpc":"2.0"', '"jsonrpc":"1.0"'),
  "an object as id": (post) => withBody(post, '"id":1', '"id":{}'),
  "a string as number": (post) => withBody(post, '"a":1', '"a":"1"'),
  "a body of 8 MB": (post) => withBody(post, "{", `{"padding":"${"x".repeat(8_000_000)}",`),
};

function withHeader({ headers, body }: Post, name: string, value: string): Post {
  return { headers: { ...headers, [name]: value }, body };
}

function withBody({ headers, body }: Post, before: string, after: string): Post {
  return { headers, body: body.replace(before, after) };
}

/** Sends the requests to each server. */
export async function measureChecks(all: readonly Served[]): Promise<Checks> {
  const accepted = new Map<string, readonly string[]>();
  for (const served of all) accepted.set(served.name, await findAccepted(served));
  return { requests: Object.keys(DAMAGES), accepted };
}

/** Returns the descriptions of the accepted requests. */
async function findAccepted({ name, subject, tools, version }: Served): Promise<string[]> {
  const server = await Subject.start(name, ["server", subject, String(tools)]);
  try {
    const port = Number(await server.ask("port"));
    const valid = { headers: callHeaders(version), body: callText(1, version) };
    if (!await isAccepted(port, valid)) throw new Error(`"${name}" rejects a valid request`);
    const accepted: string[] = [];
    for (const [damage, apply] of Object.entries(DAMAGES)) {
      if (await isAccepted(port, apply(valid, version))) accepted.push(damage);
    }
    return accepted;
  } finally {
    await server.stop();
  }
}

/** Sends a request. Returns `true` if the server calls the tool and returns its result. */
function isAccepted(port: number, { headers, body }: Post): Promise<boolean> {
  return new Promise((resolve) => {
    const length = String(body.length);
    const options = { port, host: "127.0.0.1", path: "/mcp", method: "POST" };
    const outgoing = request(
      { ...options, headers: { ...headers, "content-length": length } },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => text += chunk);
        response.on("end", () => {
          resolve(response.statusCode === 200 && /"result":.*"text":"(?:3|12)"/.test(text));
        });
        response.on("error", () => resolve(false));
      },
    );
    // A server that rejects a long body can close the connection before the body is sent.
    outgoing.on("error", () => resolve(false));
    outgoing.end(body);
  });
}
