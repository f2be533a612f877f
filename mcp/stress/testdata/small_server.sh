#!/bin/sh
# A minimal server with one tool that returns "ok". With a number as argument, it exits after that many lines.
left=${1:-1000000}
while [ "$left" -gt 0 ] && read -r line; do
  left=$((left - 1))
  case $line in
  *'"id":'*) ;;
  *) continue ;;
  esac
  id=${line#*'"id":'}
  id=${id%%[,\}]*}
  case $line in
  *'"server/discover"'*)
    result='{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}' ;;
  *'"tools/list"'*)
    result='{"resultType":"complete","tools":[{"name":"t","inputSchema":{"type":"object"}}]}' ;;
  *) result='{"resultType":"complete","content":[{"type":"text","text":"ok"}]}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
