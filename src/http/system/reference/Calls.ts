/** One call of an operation in each language, made from the API document. A test runs all of them. */
import type { JsonSchema, Operation } from "./ApiDocument.ts"
import { asJson, asPhp, asPython, asTypeScript, phpCall, pythonCall, typescriptCall } from "./Literals.ts"

export const LANGUAGES = ["curl", "TypeScript", "Python", "PHP"] as const
export type Language = (typeof LANGUAGES)[number]

/** The part of a class or an id that names a language. */
export const keyOf = (language: Language): string => language.toLowerCase()

interface CalledOperation {
  readonly method: string
  readonly path: string
  readonly operation: Operation
  /** The parts of the path. */
  readonly parts: ReadonlyArray<{ readonly name: string; readonly schema: JsonSchema }>
  readonly body: Readonly<Record<string, unknown>> | undefined
  readonly needsKey: boolean
}

type Credential = "token" | "test" | "live" | "none"

export const credentialOf = (path: string): Credential => {
  if (path.startsWith("/v1/manage/")) return "token"
  if (path.startsWith("/v1/sandbox/")) return "test"
  return /^\/v1\/(otp|messages|account|phones)\b/.test(path) ? "live" : "none"
}

const HEADERS: Readonly<Record<Credential, ReadonlyArray<string>>> = {
  token: [`-H "Authorization: Bearer $TOKEN"`],
  test: [`-H "X-API-Key: $TEST_KEY"`],
  live: [`-H "X-API-Key: $KEY"`],
  none: []
}

const inQuotes = (text: string): string => text.replaceAll("'", "'\\''")

const curl = ({ method, path, body, needsKey }: CalledOperation): string => {
  const verb =
    method === "get" || (method === "post" && body !== undefined) ? "" : ` -X ${method.toUpperCase()}`
  const address = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => `$${id.toUpperCase()}`)
  return [
    `curl -s${verb} "$PEYK${address}"`,
    ...HEADERS[credentialOf(path)],
    ...(needsKey ? [`-H "Idempotency-Key: order-1843"`] : []),
    ...(body === undefined
      ? []
      : [`-H "Content-Type: application/json"`, `-d '${inQuotes(asJson(body, 6)).replaceAll("\n", "\n  ")}'`])
  ].join(" \\\n  ")
}

/** What stands for a part of the path. */
const samplePart = ({ type, enum: choices }: JsonSchema): unknown =>
  choices?.[0] ?? (type === "integer" ? 1 : "…")

const camel = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

type Call = Readonly<Partial<Record<Language, string>>>

const managed = ({ operation, parts, body }: CalledOperation): Call => {
  const fields = {
    ...Object.fromEntries(parts.map(({ name, schema }) => [name, samplePart(schema)])),
    ...body
  }
  const [group = "", name = ""] = operation.operationId.split(".")
  const isEmpty = Object.keys(fields).length === 0
  const id = operation.operationId
  const keywords = Object.entries(fields).map(
    ([each, value]) => `${each}=${asPython(value, each.length + 5)}`
  )
  const method = `await peyk.manage.${camel(group.replace(/^managed-/, ""))}.${camel(name)}`
  return {
    TypeScript: typescriptCall(method, isEmpty ? [] : [asTypeScript(fields, method.length + 2)]),
    Python: pythonCall("peyk.manage", [asPython(id), ...keywords]),
    PHP: `${phpCall("$peyk->manage->call", [asPhp(id), ...(isEmpty ? [] : [asPhp(fields, id.length + 26)])])};`
  }
}

interface Group {
  readonly at: string
  readonly php: string
  readonly recipient: string
}

/** Where the clients have a group of operations, and whom they take as an argument of its own. */
const GROUPS: Readonly<Record<string, Group>> = {
  otp: { at: "otp", php: "otp", recipient: "phone" },
  sandbox: { at: "sandbox", php: "sandbox", recipient: "phone" },
  messages: { at: "messages", php: "messages", recipient: "to" },
  "sandbox-messages": { at: "sandbox.messages", php: "sandboxMessages", recipient: "to" }
}

interface Arguments {
  readonly ids: ReadonlyArray<string>
  readonly typescript: ReadonlyArray<unknown>
  /** Python and PHP take these in order, and then the fields. */
  readonly plain: ReadonlyArray<unknown>
  readonly fields: Readonly<Record<string, unknown>>
}

const argumentsOf = (name: string, recipient: string, { parts, body = {} }: CalledOperation): Arguments => {
  const ids = parts.map((part) => part.name)
  const values = Object.values(body)
  if (name === "verify") return { ids: [], typescript: [body], plain: values, fields: {} }
  if (name === "batch") return { ids: [], typescript: values, plain: values, fields: {} }
  if (name === "next") return { ids, typescript: [body], plain: values, fields: {} }
  if (name !== "send" && name !== "preview") return { ids, typescript: [], plain: [], fields: {} }
  const { [recipient]: to, ...fields } = body
  return { ids: [], typescript: [body], plain: [to], fields }
}

const direct = (called: CalledOperation, group: Group): Call => {
  const name = called.operation.operationId.split(".")[1] ?? ""
  const { ids, typescript, plain, fields } = argumentsOf(name, group.recipient, called)
  const keywords = Object.entries(fields).map(
    ([each, value]) => `${each}=${asPython(value, each.length + 5)}`
  )
  const method = `await peyk.${group.at}.${name}`
  const options = Object.keys(fields).length === 0 ? [] : [asPhp(fields, 4)]
  return {
    TypeScript: typescriptCall(method, [
      ...ids,
      ...typescript.map((each) => asTypeScript(each, method.length + 2))
    ]),
    Python: pythonCall(`peyk.${group.at}.${name}`, [
      ...ids,
      ...plain.map((each) => asPython(each, 4)),
      ...keywords
    ]),
    PHP: `${phpCall(`$peyk->${group.php}->${name}`, [...ids.map((id) => `$${id}`), ...plain.map((each) => asPhp(each, 4)), ...options])};`
  }
}

const account: Call = {
  TypeScript: "await peyk.account()",
  Python: "peyk.account()",
  PHP: "$peyk->account();"
}

/** A stream has no end that a client could wait for. */
const isStream = ({ responses: { "200": answer } }: Operation): boolean =>
  answer !== undefined && "content" in answer && answer.content?.["text/event-stream"] !== undefined

/** One call in each language whose client has it; curl has all. */
export const callsOf = (called: CalledOperation): Call => {
  const { path, operation } = called
  if (isStream(operation)) return { curl: curl(called) }
  const group = GROUPS[operation.operationId.split(".")[0] ?? ""]
  const own = path.startsWith("/v1/manage/")
    ? managed(called)
    : operation.operationId === "account.read"
      ? account
      : group === undefined
        ? {}
        : direct(called, group)
  return { curl: curl(called), ...own }
}
