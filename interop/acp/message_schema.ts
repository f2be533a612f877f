/**
 * Validates the messages of an agent with the JSON Schema that the npm package
 * `@agentclientprotocol/sdk` contains.
 *
 * @module
 */

import schema from "@agentclientprotocol/sdk/schema/v1/schema.json" with { type: "json" };
import { Validator } from "@cfworker/json-schema";

/** Names of the definitions of the requests and notifications that an agent sends. */
const CALLS: Readonly<Record<string, string>> = {
  "session/update": "SessionNotification",
  "session/request_permission": "RequestPermissionRequest",
  "fs/read_text_file": "ReadTextFileRequest",
  "fs/write_text_file": "WriteTextFileRequest",
  "terminal/create": "CreateTerminalRequest",
  "terminal/output": "TerminalOutputRequest",
  "terminal/release": "ReleaseTerminalRequest",
  "terminal/wait_for_exit": "WaitForTerminalExitRequest",
  "$/cancel_request": "CancelRequestNotification",
};

/** Names of the definitions of the results, by the method of the request. */
const RESULTS: Readonly<Record<string, string>> = {
  "initialize": "InitializeResponse",
  "session/new": "NewSessionResponse",
  "session/load": "LoadSessionResponse",
  "session/resume": "ResumeSessionResponse",
  "session/close": "CloseSessionResponse",
  "session/prompt": "PromptResponse",
  "session/set_mode": "SetSessionModeResponse",
};

/** A message of JSON-RPC. */
export interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * Returns the violations of a message of the agent.
 *
 * @param requests Methods of the requests of the editor, keyed by id.
 */
export function violationsOf(
  { error, id, jsonrpc, method, params, result }: Message,
  requests: ReadonlyMap<unknown, string>,
): readonly string[] {
  if (jsonrpc !== "2.0") return ['"jsonrpc" must be "2.0"'];
  if (method !== undefined) return check(CALLS[method], params);
  if (error !== undefined) return check("Error", error);
  return check(RESULTS[requests.get(id) ?? ""], result);
}

function check(name: string | undefined, value: unknown): readonly string[] {
  if (name === undefined) return [`unexpected message: ${JSON.stringify(value)}`];
  const { $defs, $schema } = schema;
  const validator = new Validator({ $schema, $defs, $ref: `#/$defs/${name}` }, "2020-12", false);
  const { errors, valid } = validator.validate(value);
  return valid
    ? []
    : errors.map(({ error, instanceLocation }) => `${name} ${instanceLocation}: ${error}`);
}
