/**
 * What the subjects use of the packages they are measured against, as their documentation shows it.
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

/** `@openai/agents`. */
export interface OpenAiAgents {
  readonly Agent: new (settings: object) => object;
  readonly Runner: new (settings: object) => {
    run(agent: object, input: readonly object[], options: object): Promise<unknown>;
  };
  readonly Usage: new (counts: object) => object;
  tool(definition: object): unknown;
}

// Specifiers that are computed are not followed by `deno check`, which looks at the repository with another import map.

/** Loads the AI SDK. */
export async function loadAiSdk(): Promise<AiSdk> {
  return await import(String("ai"));
}

/** Loads OpenAI's agents. */
export async function loadOpenAiAgents(): Promise<OpenAiAgents> {
  return await import(String("@openai/agents"));
}
