package parley.server;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Content;
import io.modelcontextprotocol.spec.McpSchema.CreateMessageRequest;
import io.modelcontextprotocol.spec.McpSchema.ElicitFormRequest;
import io.modelcontextprotocol.spec.McpSchema.LoggingLevel;
import io.modelcontextprotocol.spec.McpSchema.LoggingMessageNotification;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.ResourcesUpdatedNotification;
import io.modelcontextprotocol.spec.McpSchema.Role;
import io.modelcontextprotocol.spec.McpSchema.SamplingMessage;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** The tools. */
final class Tools {
  private static final String NONE = "{\"type\":\"object\",\"properties\":{}}";
  private static final String NUMBERS = """
      {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]}""";
  private static final String SUM = """
      {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}""";
  private static final String MANY_KEYWORDS = """
      {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
          "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
          }
        },
        "properties": {
          "name": {"type": "string"},
          "address": {"$ref": "#/$defs/address"},
          "contactMethod": {"type": "string", "enum": ["phone", "email"]},
          "phone": {"type": "string"},
          "email": {"type": "string"}
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false
      }""";

  private interface Handler extends BiFunction<McpSyncServerExchange, CallToolRequest, CallToolResult> {}

  private Tools() {}

  /** Returns the tools. Some of them change the lists of the server. */
  static List<SyncToolSpecification> all(Supplier<McpSyncServer> server) {
    return List.of(
        content("test_simple_text", "Returns text", Fixtures.text("This is a simple text response for testing.")),
        content("test_image_content", "Returns an image", Fixtures.image()),
        content("test_audio_content", "Returns audio", Fixtures.audio()),
        content("test_embedded_resource", "Returns a resource with its contents",
            Fixtures.embedded("test://embedded-resource", "This is an embedded resource content.")),
        content("test_resource_link", "Returns a link to a resource", Fixtures.link()),
        content("test_multiple_content_types", "Returns text, an image and a resource",
            Fixtures.text("Multiple content types test:"), Fixtures.image(),
            Fixtures.embedded("test://mixed-content-resource", "{}")),
        handled(tool("test_error_handling", "Fails", NONE), (exchange, request) -> CallToolResult.builder()
            .addTextContent("This tool intentionally returns an error for testing")
            .isError(true)
            .build()),
        handled(tool("add_numbers", "Adds two numbers", NUMBERS),
            (exchange, request) -> answer(Fixtures.text(sum(request).toPlainString()))),
        handled(structuredOutput(), (exchange, request) -> CallToolResult.builder()
            .addTextContent("{\"sum\":" + sum(request).toPlainString() + "}")
            .structuredContent(Map.of("sum", sum(request)))
            .build()),
        handled(tool("json_schema_2020_12_tool", "Has an input schema with many keywords", MANY_KEYWORDS),
            (exchange, request) -> answer(Fixtures.text(request.arguments().toString()))),
        handled(tool("test_tool_with_progress", "Reports progress three times", NONE), Tools::reportProgress),
        handled(tool("test_tool_with_logging", "Logs three messages", NONE), Tools::logMessages),
        handled(tool("test_elicitation", "Asks the user for a name", property("message")), Tools::elicit),
        handled(tool("test_sampling", "Asks the client's model", property("prompt")), Tools::sample),
        handled(tool("test_trigger_tool_change", "Changes the tool list", NONE), (exchange, request) -> {
          server.get().addTool(content("test_short_lived", "Is removed immediately", Fixtures.text("hi")));
          server.get().removeTool("test_short_lived");
          return answer(Fixtures.text("changed"));
        }),
        handled(tool("test_trigger_prompt_change", "Changes the prompt list", NONE), (exchange, request) -> {
          server.get().addPrompt(Resources.prompt(
              "test_short_lived", "Is removed immediately", List.of(), Fixtures.text("hi")));
          server.get().removePrompt("test_short_lived");
          return answer(Fixtures.text("changed"));
        }),
        handled(tool("test_trigger_resource_update", "Sends an update of the watched resource", NONE),
            (exchange, request) -> {
              server.get().notifyResourcesUpdated(new ResourcesUpdatedNotification(Resources.WATCHED));
              return answer(Fixtures.text("updated"));
            }));
  }

  private static CallToolResult reportProgress(McpSyncServerExchange exchange, CallToolRequest request) {
    Object token = request.meta() == null ? null : request.meta().get("progressToken");
    for (int step : token == null ? new int[0] : new int[] {0, 50, 100}) {
      exchange.progressNotification(ProgressNotification.builder(token, step)
          .total(100.0)
          .message("Completed step " + step + " of 100")
          .build());
      pause();
    }
    return answer(Fixtures.text("Done"));
  }

  private static CallToolResult logMessages(McpSyncServerExchange exchange, CallToolRequest request) {
    for (String step : List.of("started", "continues", "completed")) {
      exchange.loggingNotification(
          LoggingMessageNotification.builder(LoggingLevel.INFO, "Tool execution " + step).build());
      pause();
    }
    return answer(Fixtures.text("Done"));
  }

  private static CallToolResult elicit(McpSyncServerExchange exchange, CallToolRequest request) {
    Map<String, Object> schema = Map.of(
        "type", "object",
        "properties", Map.of("username", Map.of("type", "string")),
        "required", List.of("username"));
    var question = ElicitFormRequest.builder(text(request, "message"), schema).build();
    return answer(Fixtures.text("User response: " + exchange.createElicitation(question)));
  }

  private static CallToolResult sample(McpSyncServerExchange exchange, CallToolRequest request) {
    var message = SamplingMessage.builder(Role.USER, Fixtures.text(text(request, "prompt"))).build();
    var result = exchange.createMessage(CreateMessageRequest.builder(List.of(message), 100).build());
    String said = result.content() instanceof TextContent found ? found.text() : "something else";
    return answer(Fixtures.text("LLM response: " + said));
  }

  private static Tool structuredOutput() {
    return Tool.builder("test_structured_output", McpJsonDefaults.getMapper(), NUMBERS)
        .description("Adds two numbers and returns the sum as structured content")
        .outputSchema(McpJsonDefaults.getMapper(), SUM)
        .annotations(ToolAnnotations.builder().title("Sum").readOnlyHint(true).idempotentHint(true).build())
        .build();
  }

  private static Tool tool(String name, String description, String inputSchema) {
    return Tool.builder(name, McpJsonDefaults.getMapper(), inputSchema).description(description).build();
  }

  private static SyncToolSpecification content(String name, String description, Content... content) {
    return handled(tool(name, description, NONE), (exchange, request) -> answer(content));
  }

  private static SyncToolSpecification handled(Tool tool, Handler handler) {
    return SyncToolSpecification.builder().tool(tool).callHandler(handler).build();
  }

  private static CallToolResult answer(Content... content) {
    return CallToolResult.builder().content(List.of(content)).build();
  }

  private static String property(String name) {
    return """
        {"type": "object", "properties": {"%s": {"type": "string"}}, "required": ["%s"]}""".formatted(name, name);
  }

  private static String text(CallToolRequest request, String name) {
    return String.valueOf(request.arguments().get(name));
  }

  private static BigDecimal sum(CallToolRequest request) {
    return new BigDecimal(text(request, "a")).add(new BigDecimal(text(request, "b")));
  }

  /** Waits between two notifications. */
  private static void pause() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", error);
    }
  }
}
