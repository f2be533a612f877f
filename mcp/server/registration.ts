/**
 * Interface for registering tools, resources and prompts with a server.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { McpPrompt } from "../protocol/prompt.ts";
import type { McpResource, McpResourceTemplate } from "../protocol/resource.ts";
import type { CompletionOptions } from "./completion.ts";
import type { Principal } from "./exchange_context.ts";
import type { PromptDefinition, PromptHandler } from "./prompts.ts";
import type { RegisteredItem, RegisteredNames } from "./registry.ts";
import type { ResourceHandler } from "./resources.ts";
import type { ResourceTemplateHandler, ResourceTemplateOptions } from "./resource_templates.ts";
import type { OutputOf, StandardSchema } from "./schema.ts";
import type { ToolDefinition, ToolHandler } from "./tools.ts";

/**
 * The part of {@linkcode McpServer} that registers and removes tools, resources and prompts, and
 * decides which resources a principal can see.
 */
export interface ServerRegistration {
  /** See {@linkcode McpServer.registerTool}. */
  registerTool<Schema extends StandardSchema>(
    tool: ToolDefinition<Schema> & { readonly inputSchema: Schema },
    handler: ToolHandler<OutputOf<Schema>>,
  ): void;
  /** See {@linkcode McpServer.registerTool}. */
  registerTool<Args extends object = JsonObject>(
    tool: ToolDefinition<JsonObject>,
    handler: ToolHandler<Args>,
  ): void;
  /** See {@linkcode McpServer.updateTool}. */
  updateTool<Schema extends StandardSchema>(
    name: string,
    tool: ToolDefinition<Schema> & { readonly inputSchema: Schema },
    handler?: ToolHandler<OutputOf<Schema>>,
  ): void;
  /** See {@linkcode McpServer.updateTool}. */
  updateTool<Args extends object = JsonObject>(
    name: string,
    tool: ToolDefinition<JsonObject>,
    handler?: ToolHandler<Args>,
  ): void;
  /** See {@linkcode McpServer.removeTool}. */
  removeTool(name: string): boolean;
  /** See {@linkcode McpServer.registerResource}. */
  registerResource(resource: McpResource, handler: ResourceHandler): void;
  /** See {@linkcode McpServer.updateResource}. */
  updateResource(uri: string, resource: McpResource, handler?: ResourceHandler): void;
  /** See {@linkcode McpServer.removeResource}. */
  removeResource(uri: string): boolean;
  /** See {@linkcode McpServer.registerResourceTemplate}. */
  registerResourceTemplate(
    template: McpResourceTemplate,
    handler: ResourceTemplateHandler,
    options?: ResourceTemplateOptions,
  ): void;
  /** See {@linkcode McpServer.updateResourceTemplate}. */
  updateResourceTemplate(
    uriTemplate: string,
    template: McpResourceTemplate,
    handler?: ResourceTemplateHandler,
    options?: ResourceTemplateOptions,
  ): void;
  /** See {@linkcode McpServer.removeResourceTemplate}. */
  removeResourceTemplate(uriTemplate: string): boolean;
  /** See {@linkcode McpServer.registerPrompt}. */
  registerPrompt<Args = Readonly<Record<string, string>>>(
    prompt: McpPrompt | PromptDefinition<Args>,
    handler: PromptHandler<Args>,
    options?: CompletionOptions,
  ): void;
  /** See {@linkcode McpServer.updatePrompt}. */
  updatePrompt<Args = Readonly<Record<string, string>>>(
    name: string,
    prompt: McpPrompt | PromptDefinition<Args>,
    handler?: PromptHandler<Args>,
    options?: CompletionOptions,
  ): void;
  /** See {@linkcode McpServer.removePrompt}. */
  removePrompt(name: string): boolean;
  /** See {@linkcode McpServer.resourceUpdated}. */
  resourceUpdated(uri: string): void;
  /** See {@linkcode McpServer.listChanged}. */
  listChanged(kind: "tools" | "resources" | "prompts", subject?: string | null): void;
  /** See {@linkcode McpServer.registered}. */
  registered(kind: RegisteredItem["kind"]): RegisteredNames;
  /**
   * Returns `true` if a principal can see a resource according to the `visible` option, or if the
   * URI belongs to no resource or resource template.
   *
   * @param uri URI of the resource.
   * @param principal Authenticated principal. `undefined` if the request is not authenticated.
   */
  canSeeResource(uri: string, principal: Principal | undefined): boolean;
}
