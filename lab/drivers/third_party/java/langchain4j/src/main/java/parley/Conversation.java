package parley;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.output.TokenUsage;
import java.util.List;

/** Converts the library's messages to the messages of the kit. */
final class Conversation {
  private Conversation() {}

  /** Describes messages. The results of the calls of one response form one message. */
  static ArrayNode describe(List<ChatMessage> messages) {
    ArrayNode conversation = Driver.JSON.createArrayNode();
    ArrayNode results = null;
    for (ChatMessage message : messages) {
      if (message instanceof ToolExecutionResultMessage result) {
        if (results == null) results = conversation.addObject().put("role", "tool").putArray("content");
        results.add(result(result));
        continue;
      }
      results = null;
      if (message instanceof SystemMessage system) {
        conversation.addObject().put("role", "system").put("content", system.text());
      } else if (message instanceof UserMessage user) {
        conversation.addObject().put("role", "user").put("content", user.singleText());
      } else if (message instanceof AiMessage response) {
        conversation.addObject().put("role", "assistant").set("content", parts(response));
      }
    }
    return conversation;
  }

  private static ObjectNode result(ToolExecutionResultMessage message) {
    ObjectNode result = Driver.JSON.createObjectNode()
        .put("type", "tool-result")
        .put("toolCallId", message.id())
        .put("toolName", message.toolName());
    String type = Boolean.TRUE.equals(message.isError()) ? "error-text" : "text";
    result.putObject("output").put("type", type).put("value", message.text());
    return result;
  }

  static ArrayNode parts(AiMessage message) {
    ArrayNode parts = Driver.JSON.createArrayNode();
    if (message.thinking() != null) parts.addObject().put("type", "reasoning").put("text", message.thinking());
    if (message.text() != null) parts.addObject().put("type", "text").put("text", message.text());
    message.toolExecutionRequests().forEach(request -> parts.addObject()
        .put("type", "tool-call")
        .put("toolCallId", request.id())
        .put("toolName", request.name())
        .set("input", input(request.arguments())));
    return parts;
  }

  /** Parses the input of a call. Returns the text unchanged if it is not valid JSON. */
  private static JsonNode input(String text) {
    try {
      JsonNode input = Driver.JSON.readTree(text);
      return input.isMissingNode() ? new TextNode(text) : input;
    } catch (JsonProcessingException error) {
      return new TextNode(text);
    }
  }

  static ObjectNode usage(TokenUsage usage) {
    int input = usage == null || usage.inputTokenCount() == null ? 0 : usage.inputTokenCount();
    int output = usage == null || usage.outputTokenCount() == null ? 0 : usage.outputTokenCount();
    return Driver.JSON.createObjectNode()
        .put("inputTokens", input)
        .put("outputTokens", output)
        .put("totalTokens", input + output);
  }
}
