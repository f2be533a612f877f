/**
 * The methods of a server, and the capabilities that it declares.
 *
 * @module
 */

import type { ServerCapabilities } from "../protocol/capabilities.ts";
import { Method, NEEDED_CAPABILITY } from "../protocol/methods.ts";
import { type Completers, completionMethod, type CompletionOptions } from "./completion.ts";
import { discoverMethods } from "./discover.ts";
import type { MethodHandler } from "./dispatch.ts";
import { extensionSettings, type ServerExtension, withExtensions } from "./extension.ts";
import { promptMethods } from "./prompts.ts";
import type { Registries } from "./registries.ts";
import type { RequestStateSeal } from "./request_state.ts";
import { resourceListMethod } from "./resource_lists.ts";
import { templateListMethod } from "./resource_templates.ts";
import { resourceReadMethod } from "./resources.ts";
import type { ServerCore } from "./server_core.ts";
import { listenMethod, type SubscriptionLimits } from "./subscriptions.ts";
import { toolMethods } from "./tools.ts";

/** Options for {@linkcode MethodTable}. */
export interface MethodTableOptions extends SubscriptionLimits {
  /** Maximum number of items per page in a list result. */
  readonly pageSize: number;
  /** Encrypts and decrypts the cursors of resource templates. */
  readonly seal: RequestStateSeal;
  /** Called with errors whose details are not sent to the client. */
  readonly onError: (error: unknown) => void;
}

/** The methods of a server and of its extensions. */
export class MethodTable {
  readonly #items: Registries;
  readonly #extensions: readonly ServerExtension[];
  readonly #methods: ReadonlyMap<string, MethodHandler>;

  /**
   * Creates the methods.
   *
   * @throws {TypeError} If a method of an extension is already registered, or a method to wrap is
   * unknown.
   */
  constructor(
    server: Pick<ServerCore, "changes" | "canSeeChange" | "listenToExtensions" | "describe">,
    items: Registries,
    extensions: readonly ServerExtension[],
    { pageSize, seal, onError, ...limits }: MethodTableOptions,
  ) {
    this.#items = items;
    this.#extensions = extensions;
    const methods = new Map(Object.entries({
      ...discoverMethods(() => server.describe()),
      ...toolMethods(items.tools, pageSize, onError),
      [Method.ListResources]: resourceListMethod({
        resources: items.resources,
        templates: items.templates,
        pageSize,
        seal,
        onError,
      }),
      [Method.ListResourceTemplates]: templateListMethod(items.templates, pageSize),
      [Method.ReadResource]: resourceReadMethod(items.resources, items.templates),
      ...promptMethods(items.prompts, pageSize),
      [Method.Complete]: completionMethod({
        prompt: (name, principal) => toCompleters(items.prompts.get(name, principal)),
        resource: (uri, principal) =>
          toCompleters(items.templates.get(uri, principal)) ??
            (items.resources.get(uri, principal) && {}),
      }),
      [Method.Listen]: listenMethod(server, () => this.capabilities, limits),
    }));
    this.#methods = withExtensions(methods, extensions);
  }

  /** Capabilities of the server and of its extensions. */
  get capabilities(): ServerCapabilities {
    return {
      ...Object.assign({}, ...this.#extensions.map((extension) => extension.capabilities?.())),
      ...this.#items.capabilities,
      ...(this.#extensions.length > 0 && { extensions: extensionSettings(this.#extensions) }),
    };
  }

  /**
   * Returns the handler for a method, or `undefined` if the method is unknown or its capability is
   * not declared.
   */
  find(method: string): MethodHandler | undefined {
    const needed = NEEDED_CAPABILITY.get(method);
    return needed === undefined || this.#isOffered(needed) ? this.#methods.get(method) : undefined;
  }

  #isOffered(capability: keyof ServerCapabilities): boolean {
    return this.#items.offers(capability) ||
      this.#extensions.some((extension) => extension.capabilities?.()[capability] !== undefined);
  }
}

function toCompleters(
  item: { readonly options: CompletionOptions } | undefined,
): Completers | undefined {
  return item && (item.options.complete ?? {});
}
