/** Runs the commands of a document in the test's process: a process for each would load the program again. */
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { type Finished, runCommand } from "../contract/Server.ts"

/**
 * The script of a program `npx` that posts its environment, its arguments, and the standard input where an argument is `-`.
 * `npx peyk serve` starts the real program with `start`.
 */
export const npxScript = (socket: string, start: string) => `[ "$1" = peyk ] && shift
[ "$1" = serve ] && exec ${start} "$@"
input=:
for word in "$@"; do [ "$word" = - ] && input=cat; done
{ env -0; printf '\\0%s\\0' "$#"; printf '%s\\0' "$@"; $input; } |
  PATH="$REAL_PATH" curl --silent --fail-with-body --unix-socket ${socket} --data-binary @- http://peyk/`

/** What the script posts. */
const readCall = (body: string) => {
  const parts = body.split("\0")
  const count = parts.indexOf("")
  const input = count + 2 + Number(parts[count + 1])
  const variables = parts.slice(0, count).map((variable) => {
    const [name = "", ...value] = variable.split("=")
    return [name, value.join("=")] as const
  })
  return {
    env: Object.fromEntries(variables),
    words: parts.slice(count + 2, input),
    input: parts.slice(input).join("\0")
  }
}

const run = (body: string): Promise<Finished> => {
  const { env, words, input } = readCall(body)
  return runCommand(env, words, input)
}

/** Listens on a socket; the commands run in the folder in which the test's process is. */
export const openCommandSocket = async (socket: string) => {
  const server = createServer((asked, answer) => {
    void text(asked)
      .then(run)
      .then(
        ({ code, out, err }) => answer.writeHead(code === 0 ? 200 : 422).end(code === 0 ? out : out + err),
        (error: unknown) => answer.writeHead(500).end(String(error))
      )
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return { close: () => void server.close() }
}
