package parley.server;

import io.modelcontextprotocol.server.McpServerFeatures.SyncCompletionSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceTemplateSpecification;
import io.modelcontextprotocol.spec.McpSchema.BlobResourceContents;
import io.modelcontextprotocol.spec.McpSchema.CompleteReference;
import io.modelcontextprotocol.spec.McpSchema.CompleteResult;
import io.modelcontextprotocol.spec.McpSchema.CompleteResult.CompleteCompletion;
import io.modelcontextprotocol.spec.McpSchema.Content;
import io.modelcontextprotocol.spec.McpSchema.GetPromptRequest;
import io.modelcontextprotocol.spec.McpSchema.GetPromptResult;
import io.modelcontextprotocol.spec.McpSchema.Prompt;
import io.modelcontextprotocol.spec.McpSchema.PromptArgument;
import io.modelcontextprotocol.spec.McpSchema.PromptMessage;
import io.modelcontextprotocol.spec.McpSchema.PromptReference;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.ResourceContents;
import io.modelcontextprotocol.spec.McpSchema.ResourceReference;
import io.modelcontextprotocol.spec.McpSchema.ResourceTemplate;
import io.modelcontextprotocol.spec.McpSchema.Role;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** The resources, prompts and completions. */
final class Resources {
  /** URI of the resource to which clients can subscribe. */
  static final String WATCHED = "test://watched-resource";

  private static final String TEMPLATE = "test://template/{id}/data";

  private Resources() {}

  static List<SyncResourceSpecification> resources() {
    return List.of(
        resource("Static text", text("test://static-text", "This is the content of the static text resource.")),
        resource("Static image",
            BlobResourceContents.builder("test://static-binary", Fixtures.PIXEL).mimeType("image/png").build()),
        resource("Watched resource", text(WATCHED, "Watch me.")));
  }

  static SyncResourceTemplateSpecification template() {
    var template = ResourceTemplate.builder(TEMPLATE, "Data by id").mimeType("application/json").build();
    return new SyncResourceTemplateSpecification(template, (exchange, request) -> {
      String id = request.uri().replaceAll("^test://template/|/data$", "");
      String data = "{\"id\":\"%s\",\"templateTest\":true,\"data\":\"Data for ID: %s\"}".formatted(id, id);
      return result(TextResourceContents.builder(request.uri(), data).mimeType("application/json").build());
    });
  }

  static List<SyncPromptSpecification> prompts() {
    return List.of(
        prompt("test_simple_prompt", "Has no arguments", List.of(),
            Fixtures.text("This is a simple prompt for testing.")),
        prompt("test_prompt_with_image", "Contains an image", List.of(), Fixtures.image()),
        prompt("test_prompt_with_arguments", "Has two arguments", List.of(required("arg1"), required("arg2")),
            request -> Fixtures.text("Prompt with arguments: arg1='%s', arg2='%s'".formatted(
                request.arguments().get("arg1"), request.arguments().get("arg2")))),
        prompt("test_prompt_with_embedded_resource", "Contains a resource", List.of(required("resourceUri")),
            request -> Fixtures.embedded(
                String.valueOf(request.arguments().get("resourceUri")), "Embedded resource content")));
  }

  static SyncPromptSpecification prompt(
      String name, String description, List<PromptArgument> arguments, Content content) {
    return prompt(name, description, arguments, request -> content);
  }

  private static SyncPromptSpecification prompt(
      String name,
      String description,
      List<PromptArgument> arguments,
      Function<GetPromptRequest, Content> content) {
    var prompt = Prompt.builder(name).description(description).arguments(arguments).build();
    return new SyncPromptSpecification(prompt, (exchange, request) -> {
      var message = PromptMessage.builder(Role.USER, content.apply(request)).build();
      return GetPromptResult.builder(List.of(message)).build();
    });
  }

  static List<SyncCompletionSpecification> completions() {
    return List.of(
        completion(new PromptReference("test_prompt_with_arguments"), "paris", "park"),
        completion(new ResourceReference(TEMPLATE), "1", "12", "123"));
  }

  private static SyncCompletionSpecification completion(CompleteReference reference, String... words) {
    return new SyncCompletionSpecification(reference, (exchange, request) -> {
      String typed = request.argument().value();
      var values = Arrays.stream(words).filter(word -> word.startsWith(typed)).toList();
      return new CompleteResult(new CompleteCompletion(values, values.size(), false));
    });
  }

  private static SyncResourceSpecification resource(String name, ResourceContents contents) {
    var resource = Resource.builder(contents.uri(), name).mimeType(contents.mimeType()).build();
    return new SyncResourceSpecification(resource, (exchange, request) -> result(contents));
  }

  private static ReadResourceResult result(ResourceContents contents) {
    return ReadResourceResult.builder(List.of(contents)).build();
  }

  private static ResourceContents text(String uri, String value) {
    return TextResourceContents.builder(uri, value).mimeType("text/plain").build();
  }

  private static PromptArgument required(String name) {
    return PromptArgument.builder(name).required(true).build();
  }
}
