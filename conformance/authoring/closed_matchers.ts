/**
 * Finds expectations that reject additional members where MCP allows them: in `params`, `_meta`,
 * results, errors, capabilities and descriptions of programs.
 *
 * @module
 */

import type { Case, WireStep } from "../kit/case.ts";
import { isObject } from "../kit/json.ts";

/** Members of an open object whose values are also open objects. */
const OPEN_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  message: ["params", "result", "error"],
  params: ["_meta", "capabilities", "clientInfo"],
  result: ["_meta", "capabilities", "serverInfo"],
  _meta: [
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/serverInfo",
  ],
};

/** Members of an open object whose values are arrays of open objects. */
const OPEN_ITEMS: Readonly<Record<string, readonly string[]>> = {
  result: ["content", "tools", "resources", "resourceTemplates", "prompts", "contents", "roots"],
};

const COMBINATIONS = ["$oneOf", "$allOf", "$unordered"];
const WRAPPERS = ["$each", "$last", "$contains"];

/** Returns the paths of the closed expectations of an exchange case, such as `steps[3] params`. */
export function findClosedMatchers(each: Case): readonly string[] {
  if (each.kind !== "exchange") return [];
  return each.steps.flatMap((step, index) =>
    messagesOf(step).flatMap((matcher) => findClosed(matcher, "message", `steps[${index}]`))
  );
}

/** Returns the expectations of whole JSON-RPC messages of the subject. */
function messagesOf(step: WireStep): readonly unknown[] {
  if ("steps" in step) return step.steps.flatMap(messagesOf);
  if ("receive" in step) return [step.receive];
  if ("accept" in step) return isObject(step.accept) ? [step.accept.json] : [];
  if ("event" in step) return isObject(step.expect) ? [step.expect.json] : [];
  if ("http" in step) return isObject(step.expect) ? [step.expect.json] : [];
  return "request" in step || "poll" in step ? [step.expect] : [];
}

function findClosed(matcher: unknown, kind: string, path: string): readonly string[] {
  if (!isObject(matcher)) return [];
  const found = COMBINATIONS.flatMap((name) => {
    const operands = matcher[name];
    return Array.isArray(operands)
      ? operands.flatMap((operand) => findClosed(operand, kind, path))
      : [];
  });
  const wrapped = WRAPPERS.flatMap((name) => findClosed(matcher[name], kind, path));
  const { $exact, $const } = matcher;
  // JSON-RPC 2.0 defines all members of a response, so that a response itself may be closed.
  const isResponse = kind === "message" && isObject($exact) && !("method" in $exact);
  const isClosed = !isResponse && (isObject($exact) || isObject($const));
  const inner = isObject($exact) ? $exact : isObject($const) ? $const : matcher;
  const members = (OPEN_MEMBERS[kind] ?? []).flatMap((name) =>
    findClosed(inner[name], OPEN_MEMBERS[name] === undefined ? "leaf" : name, `${path} ${name}`)
  );
  const items = (OPEN_ITEMS[kind] ?? []).flatMap((name) => {
    const list = inner[name];
    return Array.isArray(list)
      ? list.flatMap((item) => findClosed(item, "leaf", `${path} ${name}`))
      : [];
  });
  return [...(isClosed ? [path] : []), ...found, ...wrapped, ...members, ...items];
}
