package parley.server;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.DefaultServerTransportSecurityValidator;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;

/**
 * An MCP server with the kit's fixtures, built with the official Java SDK. It serves stdio, or HTTP if the first
 * argument is a port.
 */
public final class Server {
  private Server() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 0) {
      build(McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper())));
    } else {
      serveHttp(Integer.parseInt(arguments[0]));
    }
  }

  private static <S extends McpServer.SyncSpecification<S>> void build(McpServer.SyncSpecification<S> specification) {
    var server = new AtomicReference<McpSyncServer>();
    server.set(specification
        .serverInfo("java-sdk-server", "1.0.0")
        .capabilities(ServerCapabilities.builder()
            .tools(true)
            .resources(true, true)
            .prompts(true)
            .completions()
            .logging()
            .build())
        .tools(Tools.all(server::get))
        .resources(Resources.resources())
        .resourceTemplates(Resources.template())
        .prompts(Resources.prompts())
        .completions(Resources.completions())
        .build());
  }

  private static void serveHttp(int port) throws Exception {
    // The SDK validates the headers Origin and Host only with a validator.
    var security = DefaultServerTransportSecurityValidator.builder()
        .allowedOrigin("http://127.0.0.1:" + port)
        .allowedHosts(List.of("127.0.0.1:" + port, "localhost:" + port))
        .build();
    var transport = HttpServletStreamableServerTransportProvider.builder()
        .mcpEndpoint("/mcp")
        .securityValidator(security)
        .build();
    build(McpServer.sync(transport));
    listen(port, transport);
  }

  private static void listen(int port, HttpServletStreamableServerTransportProvider transport)
      throws IOException, LifecycleException {
    var tomcat = new Tomcat();
    tomcat.setBaseDir(Files.createTempDirectory("java-sdk-server").toString());
    tomcat.setPort(port);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    var context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "mcp", transport).setAsyncSupported(true);
    context.addServletMappingDecoded("/mcp", "mcp");
    tomcat.start();
    tomcat.getServer().await();
  }
}
