#!/bin/sh
# A browser without a window: opens the URL, and follows redirects.
exec deno eval 'await (await fetch(Deno.args[0])).text()' "$1"
