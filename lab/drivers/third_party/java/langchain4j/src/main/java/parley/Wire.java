package parley;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.googleai.GoogleAiGeminiChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.tool.ToolExecutor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The operation {@code agent.run}: an AI service with the library's own models. */
final class Wire {
  /** APIs of model providers. */
  static final List<String> APIS = List.of("openai-chat", "anthropic", "gemini");

  private static final int THINKING_TOKENS = 1024;
  private static final int MAX_TOKENS = 4096;

  private interface Assistant {
    String chat(String text);
  }

  private final JsonNode args;
  private final Host host;

  Wire(JsonNode args, Host host) {
    this.args = args;
    this.host = host;
  }

  String run() {
    ChatModel model = model();
    try {
      Map<ToolSpecification, ToolExecutor> tools = new LinkedHashMap<>();
      for (JsonNode tool : args.path("tools")) {
        var specification = ToolSpecification.builder()
            .name(tool.path("name").asText())
            .description(tool.path("description").asText())
            .parameters(Agent.schemaOf(tool.path("inputSchema")))
            .build();
        tools.put(specification, (request, memory) -> execute(request));
      }
      var assistant = AiServices.builder(Assistant.class).chatModel(model).tools(tools).build();
      return assistant.chat(text("prompt"));
    } catch (RuntimeException error) {
      throw new Rejected("run_failed", error);
    }
  }

  private ChatModel model() {
    return switch (text("api")) {
      case "openai-chat" -> OpenAiChatModel.builder()
          .baseUrl(text("baseUrl"))
          .apiKey(text("apiKey"))
          .modelName(text("model"))
          .maxRetries(0)
          .build();
      case "anthropic" -> AnthropicChatModel.builder()
          .baseUrl(text("baseUrl"))
          .apiKey(text("apiKey"))
          .modelName(text("model"))
          .maxTokens(MAX_TOKENS)
          .thinkingType("enabled")
          .thinkingBudgetTokens(THINKING_TOKENS)
          .returnThinking(true)
          .maxRetries(0)
          .build();
      case "gemini" -> GoogleAiGeminiChatModel.builder()
          .baseUrl(text("baseUrl"))
          .apiKey(text("apiKey"))
          .modelName(text("model"))
          .returnThinking(true)
          .sendThinking(true)
          .maxRetries(0)
          .build();
      default -> throw new Unsupported("no model for the API " + text("api"));
    };
  }

  private String execute(ToolExecutionRequest request) {
    ObjectNode call = Driver.JSON.createObjectNode().put("name", request.name()).put("toolCallId", request.id());
    call.set("input", Agent.argumentsOf(request));
    try {
      JsonNode answer = host.call("tool.execute", call);
      if (answer.has("error")) throw new IllegalStateException(answer.path("error").path("message").asText());
      return answer.path("ok").asText("");
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }

  private String text(String name) {
    return args.path(name).asText();
  }
}
