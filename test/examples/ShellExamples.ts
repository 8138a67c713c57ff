/** The examples of a document: its `sh` blocks with the `json` block that may follow each, read without a shell. */

export interface Example {
  readonly command: ReadonlyArray<string>
  /** What is answered; `…` stands for any text. */
  readonly answer: unknown
}

type Variables = Readonly<Record<string, string>>

const BLOCKS = /```sh\n([\s\S]*?)```(?:\n\n```json\n([\s\S]*?)```)?/g
/** Single quotes keep everything; elsewhere $NAME stands for its value. */
const PIECE = /'([^']*)'|"([^"]*)"|\\\n|(\s+)|([^\s'"\\]+)/g

const fill = (text: string, variables: Variables) =>
  text.replace(/\$([A-Z_]+)/g, (whole, name: string) => {
    const value = variables[name]
    if (value === undefined) throw new Error(`the example uses ${whole}, which nothing has set`)
    return value
  })

/** The words of a command line. */
export const words = (line: string, variables: Variables): ReadonlyArray<string> => {
  const found: Array<string> = []
  let isOpen = false
  for (const [, single, double, space, bare] of line.trim().matchAll(PIECE)) {
    const text =
      single ??
      (double !== undefined || bare !== undefined ? fill(double ?? bare ?? "", variables) : undefined)
    if (space !== undefined || text === undefined) {
      isOpen = false
      continue
    }
    if (isOpen) found.push(`${found.pop() ?? ""}${text}`)
    else found.push(text)
    isOpen = true
  }
  return found
}

/** In order; variables are filled in when an example is reached, because earlier ones set them. */
export const examplesIn = (document: string) =>
  [...document.matchAll(BLOCKS)].map(([, command = "", answer]) => ({
    command,
    answer: answer === undefined ? undefined : (JSON.parse(answer) as unknown)
  }))

export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

/** The part of curl that the examples use: -s, -X, -H, -d and the address. */
export const curlRequest = ([, ...options]: ReadonlyArray<string>): CurlRequest => {
  const headers: Record<string, string> = {}
  let method: string | undefined
  let body: string | undefined
  let url = ""
  for (let at = 0; at < options.length; at++) {
    const option = options[at] ?? ""
    if (option === "-s") continue
    if (!option.startsWith("-")) url = option
    else {
      const value = options[++at] ?? ""
      if (option === "-X") method = value
      else if (option === "-d") body = value
      else if (option === "-H")
        headers[value.slice(0, value.indexOf(":"))] = value.slice(value.indexOf(":") + 1).trim()
      else throw new Error(`the example uses ${option}, which this does not know`)
    }
  }
  return { method: method ?? (body === undefined ? "GET" : "POST"), url, headers, body }
}
