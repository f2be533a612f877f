/** Uses agents as models of the OpenAI Agents SDK. */

import { Agent, OpenAIProvider, Runner } from "@openai/agents";
import { assertEquals } from "@std/assert";
import { KEY, openEndpoint } from "./served_clerk.ts";

for (const useResponses of [true, false]) {
  const name = useResponses ? "Responses" : "Chat Completions";
  Deno.test(`an agent of the SDK asks an agent through ${name}`, async () => {
    await using endpoint = openEndpoint();
    const modelProvider = new OpenAIProvider({
      apiKey: KEY,
      baseURL: endpoint.baseURL,
      useResponses,
    });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const agent = new Agent({ name: "caller", instructions: "Be brief.", model: "clerk" });
    const whole = await runner.run(agent, "Hi");
    assertEquals(whole.finalOutput, "1: Hi");
    const streamed = await runner.run(agent, "Hi", { stream: true });
    let text = "";
    for await (const part of streamed.toTextStream()) text += part;
    await streamed.completed;
    assertEquals([text, streamed.finalOutput], ["1: Hi", "1: Hi"]);
  });
}
