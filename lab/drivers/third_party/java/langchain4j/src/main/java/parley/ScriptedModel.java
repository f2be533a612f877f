package parley;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.internal.JsonSchemaElementUtils;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The scripted model and tools of a case. */
final class ScriptedModel implements ChatModel {
  private static final Map<String, FinishReason> FINISH_REASONS = Map.of(
      "stop", FinishReason.STOP,
      "length", FinishReason.LENGTH,
      "tool-calls", FinishReason.TOOL_EXECUTION,
      "content-filter", FinishReason.CONTENT_FILTER);
  private static final List<String> SETTINGS = List.of("temperature", "topP", "maxOutputTokens");

  private final JsonNode config;
  private final Host host;
  private volatile String unsupported;
  private volatile boolean isAborted;

  private static final class ModelFailure extends RuntimeException {
    ModelFailure(String message) {
      super(message);
    }
  }

  ScriptedModel(JsonNode config, Host host) {
    this.config = config;
    this.host = host;
    config.path("generateOptions").fieldNames().forEachRemaining(name -> {
      if (!SETTINGS.contains(name)) throw new Unsupported("model setting " + name + " is not supported");
    });
  }

  @Override
  public ChatRequestParameters defaultRequestParameters() {
    JsonNode options = config.path("generateOptions");
    var parameters = ChatRequestParameters.builder();
    if (options.has("temperature")) parameters.temperature(options.get("temperature").asDouble());
    if (options.has("topP")) parameters.topP(options.get("topP").asDouble());
    if (options.has("maxOutputTokens")) parameters.maxOutputTokens(options.get("maxOutputTokens").asInt());
    return parameters.build();
  }

  @Override
  public ChatResponse doChat(ChatRequest request) {
    ObjectNode args = Driver.JSON.createObjectNode().put("model", config.path("model").asText());
    args.set("messages", Conversation.describe(request.messages()));
    args.set("tools", describe(request.toolSpecifications()));
    ObjectNode options = args.putObject("options");
    if (request.temperature() != null) options.put("temperature", request.temperature());
    if (request.topP() != null) options.put("topP", request.topP());
    if (request.maxOutputTokens() != null) options.put("maxOutputTokens", request.maxOutputTokens());
    JsonNode result = call("model.generate", args);
    if (result.has("error")) throw new ModelFailure(result.path("error").path("message").asText());
    JsonNode reply = result.path("ok");
    if (reply.has("malformed")) throw reject("model responses are typed");
    JsonNode usage = reply.path("usage");
    return ChatResponse.builder()
        .aiMessage(toMessage(reply.path("content")))
        .finishReason(FINISH_REASONS.getOrDefault(reply.path("finishReason").asText(), FinishReason.OTHER))
        .tokenUsage(usage.isObject()
            ? new TokenUsage(usage.path("inputTokens").asInt(), usage.path("outputTokens").asInt())
            : null)
        .build();
  }

  /** Converts a model response. A message of the library has one text. */
  private static AiMessage toMessage(JsonNode content) {
    StringBuilder text = new StringBuilder();
    StringBuilder thinking = new StringBuilder();
    List<ToolExecutionRequest> requests = new ArrayList<>();
    for (JsonNode part : content) {
      switch (part.path("type").asText()) {
        case "text" -> text.append(part.path("text").asText());
        case "reasoning" -> thinking.append(part.path("text").asText());
        default -> requests.add(ToolExecutionRequest.builder()
            .id(part.path("toolCallId").asText())
            .name(part.path("toolName").asText())
            .arguments(part.path("input").asText())
            .build());
      }
    }
    return AiMessage.builder()
        .text(text.isEmpty() && !requests.isEmpty() ? null : text.toString())
        .thinking(thinking.isEmpty() ? null : thinking.toString())
        .toolExecutionRequests(requests)
        .build();
  }

  private static ArrayNode describe(List<ToolSpecification> tools) {
    ArrayNode described = Driver.JSON.createArrayNode();
    for (ToolSpecification tool : tools == null ? List.<ToolSpecification>of() : tools) {
      ObjectNode each = described.addObject().put("name", tool.name());
      if (tool.description() != null) each.put("description", tool.description());
      each.set("inputSchema", Driver.JSON.valueToTree(JsonSchemaElementUtils.toMap(tool.parameters())));
    }
    return described;
  }

  /** Executes a scripted tool. Throws the error that the tool throws. */
  String execute(String name, String id, ObjectNode input) {
    ObjectNode args = Driver.JSON.createObjectNode().put("name", name).put("toolCallId", id);
    args.set("input", input);
    JsonNode result = call("tool.execute", args);
    if (result.has("special")) throw reject("tool results are texts");
    if (result.has("error")) {
      JsonNode error = result.get("error");
      JsonNode told = error.has("tellModel") ? error.get("tellModel") : error.path("message");
      throw new IllegalStateException(textOf(told));
    }
    return textOf(result.path("ok"));
  }

  private static String textOf(JsonNode value) {
    return value.isTextual() ? value.asText() : value.toString();
  }

  private JsonNode call(String function, ObjectNode args) {
    if (isAborted) throw new IllegalStateException("aborted");
    try {
      return host.call(function, args);
    } catch (InterruptedException error) {
      isAborted = true;
      Thread.currentThread().interrupt();
      throw new IllegalStateException("aborted", error);
    }
  }

  private IllegalStateException reject(String reason) {
    unsupported = reason;
    isAborted = true;
    return new IllegalStateException(reason);
  }

  /** Throws if a callback used an unsupported feature, even if the library caught the exception. */
  void assertSupported() {
    if (unsupported != null) throw new Unsupported(unsupported);
  }

  /** Returns the outcome of a run that threw an exception. */
  RuntimeException explain(RuntimeException error) {
    if (unsupported != null) return new Unsupported(unsupported);
    if (isAborted || Thread.interrupted()) return new Rejected("aborted", error);
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof ModelFailure) return new Rejected("model_error", cause);
    }
    boolean isLimit = String.valueOf(error.getMessage()).contains("maxToolCallingRoundTrips");
    return new Rejected(isLimit ? "max_iterations_exceeded" : error.getClass().getSimpleName(), error);
  }
}
