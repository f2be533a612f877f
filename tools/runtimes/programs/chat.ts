/**
 * A chat completions endpoint with a scripted model.
 *
 * @module
 */

/** The properties of a chat completion request that the model reads. */
export interface Chat {
  readonly messages: readonly { readonly role: string }[];
  readonly stream?: boolean;
}

/**
 * Returns a response that requests a tool call or, after the tool result, contains text. The
 * response to a chat request is JSON or a stream.
 */
export function answerChat({ messages, stream = false }: Chat): Response {
  const isDone = messages.at(-1)?.role === "tool";
  const call = {
    index: 0,
    id: "call_1",
    type: "function",
    function: { name: "add", arguments: `{"a":1,"b":2}` },
  };
  const finish_reason = isDone ? "stop" : "tool_calls";
  if (!stream) {
    const message = isDone ? { content: "It is 3" } : { content: null, tool_calls: [call] };
    return Response.json({
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
    });
  }
  const deltas = isDone ? [{ content: "It is" }, { content: " 3" }] : [{ tool_calls: [call] }];
  const chunks = [
    ...deltas.map((delta) => JSON.stringify({ choices: [{ index: 0, delta }] })),
    JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason }] }),
    "[DONE]",
  ];
  return new Response(chunks.map((chunk) => `data: ${chunk}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });
}
