import type { JsonSchema, Operation } from "./ApiDocument.ts"

const json = (value: unknown, indent?: number): string => JSON.stringify(value, null, indent)

interface Syntax {
  readonly words: readonly [yes: string, no: string, none: string]
  readonly open: string
  readonly to: string
  readonly close: string
  readonly empty: string
}

/** JSON as Python and PHP write it. */
const literal = (value: unknown, syntax: Syntax): string => {
  const [yes, no, none] = syntax.words
  if (value === null) return none
  if (typeof value === "boolean") return value ? yes : no
  if (typeof value !== "object") return json(value)
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, syntax)).join(", ")}]`
  const fields = Object.entries(value).map(
    ([name, each]) => `${json(name)}${syntax.to} ${literal(each, syntax)}`
  )
  return fields.length === 0 ? syntax.empty : `${syntax.open}${fields.join(", ")}${syntax.close}`
}

const inPython = { words: ["True", "False", "None"], open: "{", to: ":", close: "}", empty: "{}" } as const
// an empty array of PHP would become a JSON list
const inPhp = {
  words: ["true", "false", "null"],
  open: "[",
  to: " =>",
  close: "]",
  empty: "(object) []"
} as const

const python = (value: unknown) => literal(value, inPython)
const php = (value: unknown) => literal(value, inPhp).replaceAll("$", "\\$")

const camel = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

export interface Called {
  readonly method: string
  readonly path: string
  readonly operation: Operation
  /** The parts of the path. */
  readonly parts: ReadonlyArray<{ readonly name: string; readonly schema: JsonSchema }>
  readonly body: Readonly<Record<string, unknown>> | undefined
  readonly needsKey: boolean
}

const credential = (path: string): string => {
  if (path.startsWith("/v1/manage/")) return `-H "Authorization: Bearer $TOKEN"`
  return path.includes("/sandbox/") ? `-H "X-API-Key: $TEST_KEY"` : `-H "X-API-Key: $KEY"`
}

const isPublic = (path: string): boolean => !/^\/v1\/(otp|messages|sandbox|account|manage)\b/.test(path)

const curl = ({ method, path, body, needsKey }: Called): string =>
  [
    `curl -s${method === "get" ? "" : ` -X ${method.toUpperCase()}`} "$PEYK${path.replaceAll(/\{(\w+)\}/g, (_, id: string) => `$${id.toUpperCase()}`)}"`,
    ...(isPublic(path) ? [] : [credential(path)]),
    ...(needsKey ? [`-H "Idempotency-Key: order-1843"`] : []),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${json(body).replaceAll("'", "'\\''")}'`])
  ].join(" \\\n  ")

/** Stands for a part of the path, where a reader puts an own value. */
const placeholder = ({ type, enum: choices }: JsonSchema): unknown =>
  choices?.[0] ?? (type === "integer" ? 1 : "…")

const managed = ({ operation, parts, body }: Called) => {
  const fields = {
    ...Object.fromEntries(parts.map(({ name, schema }) => [name, placeholder(schema)])),
    ...body
  }
  const [group = "", name = ""] = operation.operationId.split(".")
  const isEmpty = Object.keys(fields).length === 0
  const keywords = Object.entries(fields).map(([each, value]) => `, ${each}=${python(value)}`)
  return {
    TypeScript: `await peyk.manage.${camel(group.replace(/^managed-/, ""))}.${camel(name)}(${isEmpty ? "" : json(fields, 2)})`,
    Python: `peyk.manage(${json(operation.operationId)}${keywords.join("")})`,
    PHP: `$peyk->manage->call(${json(operation.operationId)}${isEmpty ? "" : `, ${php(fields)}`});`
  }
}

/** Where the clients have a group of operations, and whom they take as an argument of its own. */
const GROUPS: Readonly<
  Record<string, { readonly place: string; readonly php: string; readonly recipient: string }>
> = {
  otp: { place: "otp", php: "otp", recipient: "phone" },
  sandbox: { place: "sandbox", php: "sandbox", recipient: "phone" },
  messages: { place: "messages", php: "messages", recipient: "to" },
  "sandbox-messages": { place: "sandbox.messages", php: "sandboxMessages", recipient: "to" }
}

interface Arguments {
  readonly typescript: ReadonlyArray<unknown>
  /** Python and PHP take these in order, and then the fields. */
  readonly plain: ReadonlyArray<unknown>
  readonly fields: Readonly<Record<string, unknown>>
}

const argumentsOf = (name: string, recipient: string, { parts, body = {} }: Called): Arguments => {
  const ids = parts.map(({ schema }) => placeholder(schema))
  const values = Object.values(body)
  if (name === "verify") return { typescript: [body], plain: values, fields: {} }
  if (name === "batch") return { typescript: values, plain: values, fields: {} }
  if (name === "next") return { typescript: [...ids, body], plain: [...ids, ...values], fields: {} }
  if (name !== "send") return { typescript: ids, plain: ids, fields: {} }
  const { [recipient]: to, ...fields } = body
  return { typescript: [body], plain: [to], fields }
}

const direct = (called: Called, group: NonNullable<(typeof GROUPS)[string]>) => {
  const name = called.operation.operationId.split(".")[1] ?? ""
  const { typescript, plain, fields } = argumentsOf(name, group.recipient, called)
  const keywords = Object.entries(fields).map(([each, value]) => `${each}=${python(value)}`)
  const options = keywords.length === 0 ? [] : [php(fields)]
  return {
    TypeScript: `await peyk.${group.place}.${name}(${typescript.map((each) => json(each, 2)).join(", ")})`,
    Python: `peyk.${group.place}.${name}(${[...plain.map(python), ...keywords].join(", ")})`,
    PHP: `$peyk->${group.php}->${name}(${[...plain.map(php), ...options].join(", ")});`
  }
}

const account = { TypeScript: "await peyk.account()", Python: "peyk.account()", PHP: "$peyk->account();" }

/** One call in each language whose client has it. */
export const codeExamples = (called: Called): Readonly<Record<string, string>> => {
  const { path, operation } = called
  if (path.startsWith("/v1/manage/")) return { curl: curl(called), ...managed(called) }
  if (operation.operationId === "account.read") return { curl: curl(called), ...account }
  const group = GROUPS[operation.operationId.split(".")[0] ?? ""]
  return { curl: curl(called), ...(group === undefined ? {} : direct(called, group)) }
}
