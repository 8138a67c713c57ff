import type { Operation } from "./ApiDocument.ts"

const json = (value: unknown, indent?: number): string => JSON.stringify(value, null, indent)

/** JSON as Python and PHP write it. */
const literal = (
  value: unknown,
  [yes, no, none]: readonly [string, string, string],
  open: string,
  to: string
): string => {
  if (value === null) return none
  if (typeof value === "boolean") return value ? yes : no
  if (typeof value !== "object") return json(value)
  const close = open === "[" ? "]" : "}"
  const inner = (each: unknown) => literal(each, [yes, no, none], open, to)
  if (Array.isArray(value)) return `[${value.map(inner).join(", ")}]`
  return `${open}${Object.entries(value)
    .map(([name, each]) => `${json(name)}${to} ${inner(each)}`)
    .join(", ")}${close}`
}

const python = (value: unknown) => literal(value, ["True", "False", "None"], "{", ":")
const php = (value: unknown) => literal(value, ["true", "false", "null"], "[", " =>").replaceAll("$", "\\$")

const camel = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

export interface Called {
  readonly method: string
  readonly path: string
  readonly operation: Operation
  /** The names of the parts of the path. */
  readonly ids: ReadonlyArray<string>
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
    ...(needsKey ? [`-H "Idempotency-Key: $(uuidgen)"`] : []),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${json(body).replaceAll("'", "'\\''")}'`])
  ].join(" \\\n  ")

const managed = ({ operation, ids, body }: Called) => {
  const fields = { ...Object.fromEntries(ids.map((id) => [id, "…"])), ...body }
  const [group = "", name = ""] = operation.operationId.split(".")
  const isEmpty = Object.keys(fields).length === 0
  const keywords = Object.entries(fields).map(([each, value]) => `, ${each}=${python(value)}`)
  return {
    TypeScript: `await peyk.manage.${camel(group)}.${camel(name)}(${isEmpty ? "" : json(fields, 2)})`,
    Python: `peyk.manage(${json(operation.operationId)}${keywords.join("")})`,
    PHP: `$peyk->manage->call(${json(operation.operationId)}${isEmpty ? "" : `, ${php(fields)}`});`
  }
}

/** The clients' name for a group of operations, and whom they take as an argument of its own. */
const GROUPS: Readonly<Record<string, readonly [place: string, recipient: string]>> = {
  otp: ["otp", "phone"],
  sandbox: ["sandbox", "phone"],
  messages: ["messages", "to"],
  "sandbox-messages": ["sandbox.messages", "to"]
}

const argumentsOf = (name: string, recipient: string, { ids, body = {} }: Called) => {
  if (name === "verify") return { plain: Object.values(body), others: {} }
  if (name !== "send") return { plain: ids.map(() => "…"), others: body }
  const { [recipient]: to, ...others } = body
  return { plain: [to], others }
}

const direct = (called: Called) => {
  const [group = "", name = ""] = called.operation.operationId.split(".")
  const [place, recipient] = GROUPS[group] ?? ["", ""]
  const { plain, others } = argumentsOf(name, recipient, called)
  const texts = plain.map((value) => json(value))
  const keywords = Object.entries(others).map(([each, value]) => `${each}=${python(value)}`)
  const fields = keywords.length === 0 ? [] : [php(others)]
  const js = [...called.ids.map(() => '"…"'), ...(called.body === undefined ? [] : [json(called.body, 2)])]
  return {
    TypeScript: `await peyk.${place}.${name}(${js.join(", ")})`,
    Python: `peyk.${place}.${name}(${[...texts, ...keywords].join(", ")})`,
    PHP: `$peyk->${place.replace(".", "->")}->${name}(${[...texts, ...fields].join(", ")});`
  }
}

/** One call in each language whose client has it. */
export const codeExamples = (called: Called): Readonly<Record<string, string>> => {
  const { path, operation } = called
  const [group = ""] = operation.operationId.split(".")
  if (path.startsWith("/v1/manage/")) return { curl: curl(called), ...managed(called) }
  return group in GROUPS ? { curl: curl(called), ...direct(called) } : { curl: curl(called) }
}
