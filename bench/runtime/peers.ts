/**
 * Declared types of the compared packages, as documented by each package.
 *
 * @module
 */

/** `ai`: the AI SDK. */
export interface AiSdk {
  readonly ToolLoopAgent: new (settings: object) => {
    generate(prompt: { readonly messages: readonly object[] }): Promise<unknown>;
  };
  isStepCount(count: number): unknown;
  jsonSchema(schema: object): unknown;
  tool(definition: object): unknown;
}

/** `@openai/agents`: the OpenAI Agents SDK. */
export interface OpenAiAgents {
  readonly Agent: new (settings: object) => object;
  readonly Runner: new (settings: object) => {
    run(agent: object, input: readonly object[], options: object): Promise<unknown>;
  };
  readonly Usage: new (counts: object) => object;
  tool(definition: object): unknown;
}

// `deno check` uses a different import map and cannot resolve the packages, so the specifiers are
// computed.

/** Loads the AI SDK. */
export async function loadAiSdk(): Promise<AiSdk> {
  return await import(String("ai"));
}

/** Loads the OpenAI Agents SDK. */
export async function loadOpenAiAgents(): Promise<OpenAiAgents> {
  return await import(String("@openai/agents"));
}
