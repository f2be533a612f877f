package parley;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.memory.ChatMemory;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.TokenUsage;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.IllegalConfigurationException;
import dev.langchain4j.service.MemoryId;
import dev.langchain4j.service.Result;
import dev.langchain4j.service.UserMessage;
import dev.langchain4j.service.tool.ToolExecutor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** An AI service with tools, configured as a case requires. */
final class Agent {
  /** Options that the driver supports, or that have no effect. */
  private static final Set<String> OPTIONS = Set.of(
      "name", "agentDid", "model", "graceMs", "systemPrompt", "maxIterations", "generateOptions", "stop", "tools",
      "onAbort", "onMaxIterations");
  private static final Set<String> TOOL_MEMBERS = Set.of("name", "description", "inputSchema");
  private static final int MAX_MESSAGES = 1000;

  private interface Assistant {
    Result<String> chat(@MemoryId int run, @UserMessage String text);
  }

  private final JsonNode config;
  private final ScriptedModel model;
  private final Assistant assistant;
  private final Map<Object, ChatMemory> memories = new ConcurrentHashMap<>();
  private final AtomicInteger runs = new AtomicInteger();

  Agent(JsonNode config, Host host) {
    this.config = config;
    this.model = new ScriptedModel(config, host);
    checkOptions();
    var builder = AiServices.builder(Assistant.class)
        .chatModel(model)
        .chatMemoryProvider(run -> memories.computeIfAbsent(run, id -> MessageWindowChatMemory.builder()
            .id(id)
            .maxMessages(MAX_MESSAGES)
            .build()));
    if (config.has("systemPrompt")) builder.systemMessageProvider(run -> config.get("systemPrompt").asText());
    Integer limit = maxIterations();
    try {
      if (limit != null) builder.maxToolCallingRoundTrips(limit);
      Map<ToolSpecification, ToolExecutor> tools = tools();
      if (!tools.isEmpty()) builder.tools(tools);
      assistant = builder.build();
    } catch (IllegalArgumentException | IllegalConfigurationException error) {
      throw new Rejected("invalid_argument", error);
    }
  }

  private void checkOptions() {
    config.fieldNames().forEachRemaining(name -> {
      if (!OPTIONS.contains(name)) throw new Unsupported("option \"" + name + "\" is not supported");
    });
    for (String name : List.of("onAbort", "onMaxIterations")) {
      String value = config.path(name).asText("throw");
      if (!value.equals("throw")) throw new Unsupported(name + " \"" + value + "\" is not supported");
    }
    if (!config.path("systemPrompt").isMissingNode() && !config.path("systemPrompt").isTextual()) {
      throw new Unsupported("a system prompt is a text");
    }
  }

  /** Returns the lowest limit of the case, or null if the library's default applies. */
  private Integer maxIterations() {
    List<Integer> limits = new ArrayList<>();
    if (config.has("maxIterations")) limits.add(limitOf(config));
    for (JsonNode condition : config.path("stop")) {
      if (condition.has("maxIterations") && !condition.path("finalize").asBoolean()) {
        limits.add(limitOf(condition));
      } else if (!condition.path("modelStopsNaturally").asBoolean()) {
        String name = condition.fieldNames().next();
        throw new Unsupported("stop condition \"" + name + "\" is not supported");
      }
    }
    return limits.stream().min(Integer::compare).orElse(null);
  }

  private static Integer limitOf(JsonNode options) {
    JsonNode limit = options.get("maxIterations");
    if (!limit.canConvertToExactIntegral()) throw new Unsupported("a limit is an integer");
    return limit.intValue();
  }

  private Map<ToolSpecification, ToolExecutor> tools() {
    Map<ToolSpecification, ToolExecutor> tools = new LinkedHashMap<>();
    for (JsonNode tool : config.path("tools")) {
      tool.fieldNames().forEachRemaining(name -> {
        if (!TOOL_MEMBERS.contains(name)) throw new Unsupported("tools with \"" + name + "\" are not supported");
      });
      var specification = ToolSpecification.builder()
          .name(tool.path("name").asText())
          .description(tool.path("description").asText(null))
          .parameters(schemaOf(tool.path("inputSchema")))
          .build();
      tools.put(specification, (request, run) -> model.execute(request.name(), request.id(), argumentsOf(request)));
    }
    return tools;
  }

  static JsonObjectSchema schemaOf(JsonNode schema) {
    var builder = JsonObjectSchema.builder();
    schema.path("properties").properties()
        .forEach(each -> builder.addProperty(each.getKey(), JsonRawSchema.from(each.getValue().toString())));
    List<String> required = new ArrayList<>();
    schema.path("required").forEach(name -> required.add(name.asText()));
    if (!required.isEmpty()) builder.required(required);
    if (schema.path("additionalProperties").isBoolean()) {
      builder.additionalProperties(schema.get("additionalProperties").asBoolean());
    }
    return builder.build();
  }

  static ObjectNode argumentsOf(ToolExecutionRequest request) {
    String text = request.arguments() == null || request.arguments().isBlank() ? "{}" : request.arguments();
    try {
      Map<String, Object> values = Driver.JSON.readValue(text, new TypeReference<>() {});
      return Driver.JSON.valueToTree(values);
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException("The arguments are not a JSON object: " + error.getOriginalMessage(), error);
    }
  }

  ObjectNode run(JsonNode args) {
    for (String name : List.of("journal", "decisions", "history", "messages")) {
      if (args.has(name)) throw new Unsupported("\"" + name + "\" is not supported");
    }
    if (!args.path("input").isTextual()) throw new Unsupported("the input of a run is a text");
    int run = runs.incrementAndGet();
    try {
      return describe(run, assistant.chat(run, args.get("input").asText()));
    } catch (RuntimeException error) {
      throw model.explain(error);
    } finally {
      memories.remove(run);
    }
  }

  private ObjectNode describe(int run, Result<String> result) {
    model.assertSupported();
    List<ChatMessage> messages = memories.get(run).messages();
    ObjectNode output = Driver.JSON.createObjectNode();
    output.put("finalText", result.content() == null ? "" : result.content());
    List<ChatResponse> responses = new ArrayList<>(result.intermediateResponses());
    if (result.finalResponse() != null) responses.add(result.finalResponse());
    ArrayNode conversation = Conversation.describe(messages);
    Map<String, JsonNode> results = new HashMap<>();
    for (JsonNode message : conversation) {
      if (!message.path("role").asText().equals("tool")) continue;
      message.path("content").forEach(part -> results.put(part.path("toolCallId").asText(), part));
    }
    ArrayNode iterations = output.putArray("iterations");
    for (ChatResponse response : responses) {
      iterations.add(describe(iterations.size(), response.aiMessage(), response.tokenUsage(), results));
    }
    output.set("totalUsage", Conversation.usage(result.tokenUsage()));
    output.put("stopReason", "model_stop");
    output.set("messages", conversation);
    return output;
  }

  private static ObjectNode describe(int index, AiMessage message, TokenUsage usage, Map<String, JsonNode> results) {
    ObjectNode iteration = Driver.JSON.createObjectNode().put("index", index);
    ArrayNode parts = Conversation.parts(message);
    iteration.putObject("assistantMessage").put("role", "assistant").set("content", parts);
    ArrayNode calls = iteration.putArray("toolCalls");
    ArrayNode found = iteration.putArray("toolResults");
    for (JsonNode part : parts) {
      if (!part.path("type").asText().equals("tool-call")) continue;
      calls.add(part);
      JsonNode result = results.get(part.path("toolCallId").asText());
      if (result == null) continue;
      boolean isError = result.path("output").path("type").asText().startsWith("error-");
      found.add(((ObjectNode) result.deepCopy()).put("isError", isError));
    }
    iteration.set("usage", Conversation.usage(usage));
    return iteration;
  }
}
