/**
 * The registered tools, resources, resource templates and prompts of a server, and who can see
 * them.
 *
 * @module
 */

import { assertOptionalFunction } from "@parley/internal/assert-argument";
import { reportRejection } from "@parley/internal/report-rejection";
import type { McpPrompt } from "../protocol/prompt.ts";
import type { McpResource, McpResourceTemplate } from "../protocol/resource.ts";
import type { CompletionOptions } from "./completion.ts";
import type { SchemaValidator } from "./schema.ts";
import { type Change, concerns, type ListChange } from "./change_bus.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import type { Principal } from "./exchange_context.ts";
import {
  type PromptDefinition,
  type PromptEntry,
  type PromptHandler,
  toPromptEntry,
} from "./prompts.ts";
import { type IsVisible, type RegisteredItem, type RegisteredNames, Registry } from "./registry.ts";
import {
  canSeeResource,
  type ResourceEntry,
  type ResourceHandler,
  toResourceEntry,
} from "./resources.ts";
import {
  type ResourceTemplateEntry,
  type ResourceTemplateHandler,
  type ResourceTemplateOptions,
  toTemplateEntry,
} from "./resource_templates.ts";
import {
  readTool,
  type ToolDefinition,
  type ToolEntry,
  type ToolHandler,
  toToolEntry,
} from "./tools.ts";

/** The registries of a server. */
export class Registries {
  readonly tools: Registry<ToolEntry>;
  readonly resources: Registry<ResourceEntry>;
  readonly templates: Registry<ResourceTemplateEntry>;
  readonly prompts: Registry<PromptEntry>;
  readonly #isVisible: IsVisible | undefined;
  readonly #announce: (change: ListChange) => void;
  readonly #validator: SchemaValidator;
  #hasCompleters = false;

  /**
   * Creates empty registries.
   *
   * @param settings Decides which principals can see an item (if `visible` is omitted, all can),
   * and validates values with JSON Schemas.
   * @param announce Called when an item is added, replaced or removed.
   * @param report Called with the rejection of a promise that `isVisible` returns.
   */
  constructor(
    { visible: isVisible, validator }: {
      readonly visible: IsVisible | undefined;
      readonly validator: SchemaValidator;
    },
    announce: (change: ListChange) => void,
    report: (error: unknown) => void,
  ) {
    this.#validator = validator;
    this.#isVisible = isVisible && strict(isVisible, report);
    this.#announce = announce;
    this.tools = this.#create("tool", "tools");
    this.resources = this.#create("resource", "resources");
    this.templates = this.#create("resource template", "resources");
    this.prompts = this.#create("prompt", "prompts");
  }

  /** Returns the names of the items of one kind, even those that no principal can see. */
  names(kind: RegisteredItem["kind"]): RegisteredNames {
    return {
      "tool": this.tools,
      "resource": this.resources,
      "resource template": this.templates,
      "prompt": this.prompts,
    }[kind];
  }

  /** Capabilities to declare for the items that have been registered. */
  get capabilities(): ServerCapabilities {
    return {
      logging: {},
      ...(this.offers("tools") && { tools: { listChanged: true } }),
      ...(this.offers("resources") && { resources: { listChanged: true, subscribe: true } }),
      ...(this.offers("prompts") && { prompts: { listChanged: true } }),
      ...(this.offers("completions") && { completions: {} }),
    };
  }

  /** Returns `false` if no item that a capability requires has been registered. */
  offers(capability: keyof ServerCapabilities): boolean {
    switch (capability) {
      case "tools":
        return this.tools.isOffered;
      case "resources":
        return this.resources.isOffered || this.templates.isOffered;
      case "prompts":
        return this.prompts.isOffered;
      case "completions":
        return this.#hasCompleters;
      default:
        return true;
    }
  }

  /** Adds a tool; see {@linkcode McpServer.registerTool}. */
  addTool(tool: ToolDefinition, handler: ToolHandler): void {
    const definition = readTool(tool);
    this.tools.add(definition.name, toToolEntry(definition, handler, this.#validator));
  }

  /** Replaces a tool; see {@linkcode McpServer.updateTool}. */
  updateTool(name: string, tool: ToolDefinition, handler?: ToolHandler): void {
    const { run } = this.tools.replaceable(name);
    assertOptionalFunction("handler", handler);
    const definition = readTool(tool);
    const entry = toToolEntry(definition, handler ?? run, this.#validator);
    this.tools.replace(name, definition.name, entry);
  }

  /** Adds a resource; see {@linkcode McpServer.registerResource}. */
  addResource(resource: McpResource, handler: ResourceHandler): void {
    const entry = toResourceEntry(resource, handler);
    this.resources.add(entry.descriptor.uri, entry);
  }

  /** Replaces a resource; see {@linkcode McpServer.updateResource}. */
  updateResource(uri: string, resource: McpResource, handler?: ResourceHandler): void {
    const { read } = this.resources.replaceable(uri);
    const entry = toResourceEntry(resource, handler ?? read);
    this.resources.replace(uri, entry.descriptor.uri, entry);
  }

  /** Adds a resource template; see {@linkcode McpServer.registerResourceTemplate}. */
  addTemplate(
    template: McpResourceTemplate,
    handler: ResourceTemplateHandler,
    options: ResourceTemplateOptions,
  ): void {
    const entry = toTemplateEntry(template, handler, options);
    this.templates.add(entry.descriptor.uriTemplate, entry);
    this.#declareCompleters(entry);
  }

  /** Replaces a resource template; see {@linkcode McpServer.updateResourceTemplate}. */
  updateTemplate(
    uriTemplate: string,
    template: McpResourceTemplate,
    handler?: ResourceTemplateHandler,
    options?: ResourceTemplateOptions,
  ): void {
    const old = this.templates.replaceable(uriTemplate);
    const entry = toTemplateEntry(template, handler ?? old.read, options ?? old.options);
    this.templates.replace(uriTemplate, entry.descriptor.uriTemplate, entry);
    this.#declareCompleters(entry);
  }

  /** Adds a prompt; see {@linkcode McpServer.registerPrompt}. */
  addPrompt(
    prompt: McpPrompt | PromptDefinition,
    handler: PromptHandler<never>,
    options: CompletionOptions,
  ): void {
    const entry = toPromptEntry(prompt, handler, options, this.#validator);
    this.prompts.add(entry.descriptor.name, entry);
    this.#declareCompleters(entry);
  }

  /** Replaces a prompt; see {@linkcode McpServer.updatePrompt}. */
  updatePrompt(
    name: string,
    prompt: McpPrompt | PromptDefinition,
    handler?: PromptHandler<never>,
    options?: CompletionOptions,
  ): void {
    const old = this.prompts.replaceable(name);
    const entry = toPromptEntry(
      prompt,
      handler ?? old.fill,
      options ?? old.options,
      this.#validator,
    );
    this.prompts.replace(name, entry.descriptor.name, entry);
    this.#declareCompleters(entry);
  }

  /** Returns `true` if a principal can see a resource; see {@linkcode canSeeResource}. */
  canSeeResource(uri: string, principal: Principal | undefined): boolean {
    return canSeeResource(uri, this.resources, this.templates, principal);
  }

  /** Returns `true` if a change to a list concerns the clients of a principal. */
  canSeeListChange(
    change: Exclude<Change, { readonly kind: "resource" }>,
    principal: Principal | undefined,
  ): boolean {
    return concerns(change, principal, this.#isVisible);
  }

  #declareCompleters({ options }: { readonly options: CompletionOptions }): void {
    if (options.complete !== undefined) this.#hasCompleters = true;
  }

  #create<Entry>(kind: RegisteredItem["kind"], list: ListChange["kind"]): Registry<Entry> {
    const onChange = (...names: readonly string[]): void => {
      const items = this.#isVisible === undefined
        ? {}
        : { items: names.map((name) => ({ kind, name })) };
      this.#announce({ kind: list, ...items });
    };
    return new Registry(kind, onChange, this.#isVisible);
  }
}

/**
 * Returns a function that returns `true` only if `isVisible` returns `true`. A JavaScript caller
 * may return a promise, which must not count as `true`, and whose rejection must not end the
 * process.
 */
function strict(isVisible: IsVisible, report: (error: unknown) => void): IsVisible {
  return (item, principal) => {
    const visible: unknown = isVisible(item, principal);
    reportRejection(visible, report);
    return visible === true;
  };
}
