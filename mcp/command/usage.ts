/**
 * The text of `parley-mcp --help`.
 *
 * @module
 */

/** Usage of all commands. */
export const USAGE = `parley-mcp list    SERVER [tools] [resources] [templates] [prompts]
parley-mcp call    SERVER TOOL [ARGUMENT ...]
parley-mcp read    SERVER URI
parley-mcp prompt  SERVER PROMPT [ARGUMENT ...]
parley-mcp inspect SERVER

Sends requests to an MCP server and prints the results.

SERVER    a URL; a name, with --config FILE; or no argument here and "-- COMMAND ARG ..." at the end
ARGUMENT  name=text (parsed as JSON if the schema of the tool does not allow a string),
          name:=JSON, {JSON}, @file.json, or - for a JSON object on standard input

  --config FILE          read the SERVER from this mcp.json file
  --env NAME             pass this environment variable to COMMAND; repeatable
  -H, --header "N: V"    send this HTTP header; repeatable. Other users can see it in the list of
                         processes: prefer --bearer-env for secrets
  --bearer-env NAME      send the bearer token in this environment variable
  --login                log in with a browser if the server requires it
  --store FILE           keep the tokens of the login in this file (mode 0600)
  --client-id ID         client that is registered with the authorization server
  --protocol VERSION     auto, modern, legacy or a version such as 2025-06-18 (default: auto)
  --timeout SECONDS      limit of each request (default: 60)
  --output FILE          write the image, audio, blob or text of the result to this file
  --json                 print the result as one line of JSON, and errors as one line of JSON
  -v, --verbose          print each request with its time, notifications, and the standard error of
                         COMMAND, on standard error

parley-mcp gateway FILE [options]

Serves the MCP servers of an mcp.json file as one server, over standard input and output.
The names of tools and prompts start with the name of their server. The resources of a server with
"listResources": false in the file are not listed, but its resource templates are.

  --http PORT            serve over HTTP on this port instead; 0 selects a free port
  --host HOST            address to listen on with --http (default: 127.0.0.1)
  --allowed-host NAME    additional host name in the "Host" header with --http; repeatable

parley-mcp init KIND FOLDER

Creates a project in a new folder, whose name is the name of the project.
The kind is "server" or "client".

  -h, --help             show this text

Exit codes
    0  success; for gateway, also if the client has disconnected or the command was interrupted
    1  the tool has failed
    2  the command line or a file is invalid, a port is not available, or a folder cannot be created
    3  the server requires authorization, or has denied it
    4  the server is not reachable, or the connection was lost
    5  the server has responded with an error, or does not know the tool
    6  the request has timed out
  130  the request was interrupted
`;
