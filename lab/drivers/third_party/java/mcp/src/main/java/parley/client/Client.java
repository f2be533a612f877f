package parley.client;

import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientSseClientTransport;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.ClientCapabilities;
import io.modelcontextprotocol.spec.McpSchema.CompleteReference;
import io.modelcontextprotocol.spec.McpSchema.CompleteRequest;
import io.modelcontextprotocol.spec.McpSchema.CompleteRequest.CompleteArgument;
import io.modelcontextprotocol.spec.McpSchema.CompleteRequest.CompleteContext;
import io.modelcontextprotocol.spec.McpSchema.CreateMessageResult;
import io.modelcontextprotocol.spec.McpSchema.ElicitResult;
import io.modelcontextprotocol.spec.McpSchema.GetPromptRequest;
import io.modelcontextprotocol.spec.McpSchema.LoggingLevel;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.PromptReference;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import io.modelcontextprotocol.spec.McpSchema.ResourceReference;
import io.modelcontextprotocol.spec.McpSchema.Root;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import reactor.core.publisher.Mono;

/** A connected client and the progress that it has received. */
final class Client {
  /** Longer than the kit waits, so that a call without a response does not end by itself. */
  private static final Duration REQUEST_TIMEOUT = Duration.ofMinutes(5);

  /** The operations, keyed by name. */
  static final Map<String, BiFunction<Client, Map<String, Object>, Mono<Map<String, Object>>>> OPERATIONS =
      Map.of(
          "mcp.client.listTools", (on, args) -> on.sdk.listTools().map(list -> items(list.tools())),
          "mcp.client.listResources", (on, args) -> on.sdk.listResources().map(list -> items(list.resources())),
          "mcp.client.listResourceTemplates",
          (on, args) -> on.sdk.listResourceTemplates().map(list -> items(list.resourceTemplates())),
          "mcp.client.listPrompts", (on, args) -> on.sdk.listPrompts().map(list -> items(list.prompts())),
          "mcp.client.callTool", Client::callTool,
          "mcp.client.getResource",
          (on, args) -> on.sdk.readResource(ReadResourceRequest.builder(text(args, "uri")).build()).map(Client::result),
          "mcp.client.getPrompt",
          (on, args) -> on.sdk.getPrompt(
              GetPromptRequest.builder(text(args, "name")).arguments(object(args.get("arguments"))).build())
              .map(Client::result),
          "mcp.client.complete", Client::complete,
          "mcp.client.setLogLevel",
          (on, args) -> on.sdk.setLoggingLevel(LoggingLevel.fromValue(text(args, "level"))).thenReturn(Map.of()));

  private final McpAsyncClient sdk;
  private final Queue<ProgressNotification> progress;
  private final AtomicInteger tokens = new AtomicInteger();

  private Client(McpAsyncClient sdk, Queue<ProgressNotification> progress) {
    this.sdk = sdk;
    this.progress = progress;
  }

  static Mono<Client> connect(Map<String, Object> args) {
    Queue<ProgressNotification> progress = new ConcurrentLinkedQueue<>();
    Map<String, Object> handlers = object(args.get("handlers"));
    var capabilities = ClientCapabilities.builder();
    var specification = McpClient.async(transport(object(args.get("transport"))))
        .requestTimeout(REQUEST_TIMEOUT)
        .progressConsumer(notification -> {
          progress.add(notification);
          return Mono.empty();
        });
    boolean isForm = handlers.containsKey("elicit");
    boolean isUrl = handlers.containsKey("elicitUrl");
    if (isForm || isUrl) capabilities.elicitation(isForm, isUrl);
    if (isForm) specification.elicitation(request -> convert(handlers.get("elicit"), ElicitResult.class));
    if (isUrl) specification.urlElicitation(request -> convert(handlers.get("elicitUrl"), ElicitResult.class));
    if (handlers.containsKey("createMessage")) {
      capabilities.sampling();
      specification.sampling(request -> convert(handlers.get("createMessage"), CreateMessageResult.class));
    }
    if (handlers.containsKey("listRoots")) {
      capabilities.roots(true);
      specification.roots(Driver.JSON.convertValue(handlers.get("listRoots"), new TypeRef<List<Root>>() {}));
    }
    McpAsyncClient sdk = specification.capabilities(capabilities.build()).build();
    return sdk.initialize().map(result -> new Client(sdk, progress));
  }

  private static McpClientTransport transport(Map<String, Object> peer) {
    if (!peer.containsKey("url")) {
      var command = ServerParameters.builder(text(peer, "command"))
          .args(Driver.JSON.convertValue(peer.get("args"), new TypeRef<List<String>>() {}))
          .build();
      return new StdioClientTransport(command, Driver.JSON);
    }
    URI url = URI.create(text(peer, "url"));
    String host = url.getScheme() + "://" + url.getAuthority();
    return "sse".equals(peer.get("type"))
        ? HttpClientSseClientTransport.builder(host).sseEndpoint(url.getPath()).build()
        : HttpClientStreamableHttpTransport.builder(host).endpoint(url.getPath()).build();
  }

  Mono<Void> close() {
    return sdk.closeGracefully();
  }

  void abandon() {
    sdk.closeGracefully().onErrorComplete().subscribe();
  }

  private static Mono<Map<String, Object>> callTool(Client on, Map<String, Object> args) {
    var request = CallToolRequest.builder(text(args, "name")).arguments(object(args.get("arguments")));
    Map<String, Object> meta = new HashMap<>(object(args.get("meta")));
    String token = "call-" + on.tokens.incrementAndGet();
    if (Boolean.TRUE.equals(args.get("progress"))) meta.put("progressToken", token);
    if (!meta.isEmpty()) request.meta(meta);
    var call = on.sdk.callTool(request.build());
    if (args.get("timeoutMs") instanceof Number limit) call = call.timeout(Duration.ofMillis(limit.longValue()));
    return call.map(result -> Map.of("result", result, "progress", on.progressOf(token)));
  }

  private List<Map<String, Object>> progressOf(String token) {
    return progress.stream().filter(each -> token.equals(each.progressToken())).map(each -> {
      Map<String, Object> found = new HashMap<>(Map.of("progress", each.progress()));
      if (each.total() != null) found.put("total", each.total());
      if (each.message() != null) found.put("message", each.message());
      return found;
    }).toList();
  }

  private static Mono<Map<String, Object>> complete(Client on, Map<String, Object> args) {
    Map<String, Object> params = object(args.get("params"));
    Map<String, Object> ref = object(params.get("ref"));
    CompleteReference reference = "ref/prompt".equals(ref.get("type"))
        ? new PromptReference(text(ref, "name"))
        : new ResourceReference(text(ref, "uri"));
    var argument = Driver.JSON.convertValue(params.get("argument"), CompleteArgument.class);
    var context = Driver.JSON.convertValue(params.get("context"), CompleteContext.class);
    return on.sdk.completeCompletion(new CompleteRequest(reference, argument, null, context))
        .map(found -> result(found.completion()));
  }

  private static <T> Mono<T> convert(Object value, Class<T> type) {
    return Mono.fromCallable(() -> Driver.JSON.convertValue(value, type));
  }

  static Map<String, Object> object(Object value) {
    return value == null ? Map.of() : Driver.JSON.convertValue(value, new TypeRef<Map<String, Object>>() {});
  }

  private static String text(Map<String, Object> args, String name) {
    return String.valueOf(args.get(name));
  }

  private static Map<String, Object> items(List<?> items) {
    return Map.of("items", items);
  }

  private static Map<String, Object> result(Object result) {
    return Map.of("result", result);
  }
}
