/**
 * Resources, resource templates and prompts.
 *
 * @module
 */

import type { McpServer } from "@parley/mcp/server";
import { IMAGE } from "./content_tools.ts";
import { form } from "./input_tools.ts";

/** Name, description, media type and reader of each resource, keyed by URI. */
const RESOURCES: Readonly<Record<string, [string, string, string, () => unknown]>> = {
  "test://static-text": ["Static text", "Text that never changes", "text/plain", () => {
    return "This is the content of the static text resource.";
  }],
  "test://static-binary": ["Static image", "An image that never changes", "image/png", () => {
    return Uint8Array.from(atob(IMAGE), (character) => character.charCodeAt(0));
  }],
  "test://watched-resource": ["Watched resource", "Text to subscribe to", "text/plain", () => {
    return "Watch me.";
  }],
};

/** Registers the resources. */
export function addResources(server: McpServer): void {
  for (const [uri, [name, description, mimeType, read]] of Object.entries(RESOURCES)) {
    server.registerResource({ uri, name, description, mimeType }, read);
  }
  const about = { name: "Data by id", description: "Data for an id" };
  server.registerResourceTemplate(
    { uriTemplate: "test://template/{id}/data", ...about, mimeType: "application/json" },
    (_uri, { id }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
    { complete: { id: (typed) => ["1", "12", "123"].filter((id) => id.startsWith(typed)) } },
  );
}

/** Registers the prompts. */
export function addPrompts(server: McpServer): void {
  const add = server.registerPrompt.bind(server);
  const argument = (name: string, description: string) => ({ name, description, required: true });
  add({ name: "test_simple_prompt", description: "Has no arguments", arguments: [] }, () => {
    return "This is a simple prompt for testing.";
  });
  const two = [argument("arg1", "The first"), argument("arg2", "The second")];
  add(
    { name: "test_prompt_with_arguments", description: "Has two arguments", arguments: two },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
    { complete: { arg1: (typed) => ["paris", "park"].filter((word) => word.startsWith(typed)) } },
  );
  const one = [argument("resourceUri", "URI of the resource")];
  const embedded = "test_prompt_with_embedded_resource";
  add(
    { name: embedded, description: "Contains a resource", arguments: one },
    ({ resourceUri: uri }) => {
      const resource = { uri, mimeType: "text/plain", text: "Embedded resource content" };
      return { messages: [{ role: "user", content: { type: "resource", resource } }] };
    },
  );
  add({ name: "test_prompt_with_image", description: "Contains an image", arguments: [] }, () => {
    const content = { type: "image", data: IMAGE, mimeType: "image/png" };
    return { messages: [{ role: "user", content }] };
  });
  const description = "Requests input from the user";
  const inputPrompt = { name: "test_input_required_result_prompt", description, arguments: [] };
  add(inputPrompt, async (_args, { ask }) => {
    const { content } = await ask("user_context", form("What is the context?", "context"));
    return `The context is: ${content?.context}`;
  });
}
