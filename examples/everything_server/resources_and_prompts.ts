/**
 * Resources, templates of resources, and prompts.
 *
 * @module
 */

import type { McpServer } from "@parley/mcp/server";
import { IMAGE } from "./content_tools.ts";
import { form } from "./question_tools.ts";

/** Adds the resources. */
export function addResources(server: McpServer): void {
  server.registerResource({
    uri: "test://static-text",
    name: "Static text",
    description: "A text that never changes",
    mimeType: "text/plain",
  }, () => "This is the content of the static text resource.");
  server.registerResource({
    uri: "test://static-binary",
    name: "Static picture",
    description: "A picture that never changes",
    mimeType: "image/png",
  }, () => Uint8Array.from(atob(IMAGE), (character) => character.charCodeAt(0)));
  server.registerResource({
    uri: "test://watched-resource",
    name: "Watched resource",
    description: "A text that clients may subscribe to",
    mimeType: "text/plain",
  }, () => "Watch me.");
  server.registerResourceTemplate(
    {
      uriTemplate: "test://template/{id}/data",
      name: "Data by id",
      description: "The data of an id",
      mimeType: "application/json",
    },
    (_uri, { id }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
    {
      complete: { id: (typed) => ["1", "12", "123"].filter((id) => id.startsWith(typed)) },
    },
  );
}

/** Adds the prompts. */
export function addPrompts(server: McpServer): void {
  server.registerPrompt(
    { name: "test_simple_prompt", description: "Has no arguments", arguments: [] },
    () => "This is a simple prompt for testing.",
  );
  server.registerPrompt(
    {
      name: "test_prompt_with_arguments",
      description: "Has two arguments",
      arguments: [
        { name: "arg1", description: "The first", required: true },
        { name: "arg2", description: "The second", required: true },
      ],
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
    { complete: { arg1: (typed) => ["paris", "park"].filter((word) => word.startsWith(typed)) } },
  );
  server.registerPrompt({
    name: "test_prompt_with_embedded_resource",
    description: "Holds a resource",
    arguments: [{ name: "resourceUri", description: "Which resource", required: true }],
  }, ({ resourceUri }) => {
    const resource = {
      uri: resourceUri,
      mimeType: "text/plain",
      text: "Embedded resource content",
    };
    return { messages: [{ role: "user", content: { type: "resource", resource } }] };
  });
  const image = { type: "image", data: IMAGE, mimeType: "image/png" };
  server.registerPrompt(
    { name: "test_prompt_with_image", description: "Holds a picture", arguments: [] },
    () => ({ messages: [{ role: "user", content: image }] }),
  );
  server.registerPrompt({
    name: "test_input_required_result_prompt",
    description: "Asks the user before it is filled in",
    arguments: [],
  }, async (_args, { ask }) => {
    const { content } = await ask("user_context", form("What is the context?", "context"));
    return `The context is: ${content?.context}`;
  });
}
