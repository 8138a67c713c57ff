/** Requests that should be accepted, made from the document. */
import { DateTime } from "effect"
import type { Random } from "../../bench/soak/Random.ts"
import { type JsonObject, resolveReference } from "../http/OpenApiDocument.ts"
import { document, type Operation, type Parameter } from "./ApiDocument.ts"
import type { Known } from "./Known.ts"

export interface Credentials {
  readonly liveKey: string
  readonly testKey: string
  readonly token: string
  readonly email: string
  readonly password: string
}

/** A request whose body is still a value. */
export interface Draft {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Undefined for a request without a body. */
  readonly body: unknown
}

const CHANNELS = ["eitaa", "bale", "soroushplus", "rubika", "sms", "telegram"]
const DAY = 86_400_000

const isoOf = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))

const phone = (random: Random) => {
  const digits = `9${random.between(10, 39)}${random.between(1_000_000, 9_999_999)}`
  return random.pick(["+98", "0098", "0", ""]) + digits
}

/** Values that a schema alone does not describe, by the name of the field. */
const makeFields = (credentials: Credentials, known: Known, now: number) => {
  const instant = (random: Random) => isoOf(now + random.between(1, 20) * DAY)
  const fields: Readonly<Record<string, (random: Random) => unknown>> = {
    phone,
    to: phone,
    code: (random) => String(random.between(100_000, 999_999)),
    email: (random) => (random.chance(0.5) ? credentials.email : `u${random.between(1, 99_999)}@example.com`),
    password: () => credentials.password,
    current_password: () => credentials.password,
    refresh_token: (random) => known.pick(random, "refresh_token") ?? "none",
    verification_id: (random) => known.pick(random, "verification_id"),
    message_id: (random) => known.pick(random, "message_id"),
    event_id: (random) => known.pick(random, "event_id"),
    cursor: (random) => known.pick(random, "next_cursor"),
    account_id: (random) => known.pick(random, "credential_id"),
    template_id: (random) => known.pick(random, "templates.id"),
    channels: (random) =>
      random.pick<unknown>(["sms", ["bale", "sms"], [{ channel: "eitaa" }], random.pick(CHANNELS)]),
    channel: (random) => random.pick(CHANNELS),
    provider: (random) =>
      random.chance(0.8) ? "simulator" : random.pick(["smsir", "bale_bot", "telegram_bot"]),
    url: (random) => `http://127.0.0.1:9/hook/${random.between(1, 99)}`,
    settings: () => ({}),
    message: () => "سلام",
    body: (random) => random.pick(["سلام {{name}}", "Your code: {{code}}"]),
    parameters: () => ({}),
    metadata: () => ({ order: 7 }),
    delay: (random) => `${random.between(1, 9)}h`,
    send_at: instant,
    expires_at: instant,
    since: () => isoOf(now - DAY),
    chat_id: (random) => String(random.between(1, 1e9)),
    allowed_ips: () => ["127.0.0.0/8"]
  }
  return fields
}

/** Values that a part of the document allows. */
export const makeValues = (credentials: Credentials, known: Known, now: number) => {
  const fields = makeFields(credentials, known, now)

  /** Mostly a value that is known to be good, and sometimes any that the schema allows. */
  const given = (name: string, random: Random): unknown =>
    random.chance(0.85) ? fields[name]?.(random) : undefined

  const ofObject = (schema: JsonObject, random: Random) => {
    const required = (schema["required"] ?? []) as ReadonlyArray<string>
    const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, unknown>>)
    return Object.fromEntries(
      properties
        .filter(([name]) => required.includes(name) || random.chance(0.4))
        .map(([name, property]) => [name, given(name, random) ?? valueOf(property, random)])
        .filter(([, value]) => value !== undefined)
    )
  }

  const ofNumber = (schema: JsonObject, random: Random) => {
    const least = Number(schema["minimum"] ?? schema["exclusiveMinimum"] ?? 1)
    const most = Number(schema["maximum"] ?? least + 100)
    return random.between(Math.max(least, 1), Math.min(most, Math.max(least, 1) + 100))
  }

  const valueOf = (given: unknown, random: Random): unknown => {
    const schema = given as JsonObject
    if (typeof schema["$ref"] === "string") return valueOf(resolveReference(document, schema["$ref"]), random)
    if (Array.isArray(schema["enum"])) return random.pick(schema["enum"])
    const options = schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"]
    if (Array.isArray(options) && schema["type"] === undefined) return valueOf(random.pick(options), random)
    const { type } = schema
    switch (Array.isArray(type) ? random.pick(type) : type) {
      case "object":
        return ofObject(schema, random)
      case "array":
        return Array.from({ length: random.between(1, 2) }, () => valueOf(schema["items"] ?? {}, random))
      case "integer":
      case "number":
        return ofNumber(schema, random)
      case "boolean":
        return random.chance(0.5)
      case "null":
        return null
      default:
        return schema["format"] === "uuid"
          ? "01890a5d-ac96-774b-bcce-b302099a8057"
          : `n${random.between(1, 999)}`
    }
  }

  return { given, valueOf }
}

export const makeDrafts = (credentials: Credentials, known: Known, now: number) => {
  const { given, valueOf } = makeValues(credentials, known, now)

  const parameterOf = ({ name, schema }: Parameter, template: string, random: Random): string => {
    const value = name === "id" ? known.idOf(random, template) : given(name, random)
    return String(value ?? valueOf(schema, random))
  }

  const targetOf = ({ template, parameters }: Operation, random: Random): string => {
    const path = parameters
      .filter((parameter) => parameter.in === "path")
      .reduce(
        (text, each) =>
          text.replace(`{${each.name}}`, encodeURIComponent(parameterOf(each, template, random))),
        template
      )
    const query = parameters
      .filter((parameter) => parameter.in === "query" && (parameter.required || random.chance(0.4)))
      .map((each) => `${each.name}=${encodeURIComponent(parameterOf(each, template, random))}`)
    return query.length === 0 ? path : `${path}?${query.join("&")}`
  }

  const credentialOf = (template: string): ReadonlyArray<readonly [string, string]> => {
    if (template.startsWith("/v1/manage/")) return [["Authorization", `apikey ${credentials.token}`]]
    if (template.startsWith("/v1/sandbox/")) return [["X-API-Key", credentials.testKey]]
    return /^\/v1\/(?:otp|messages|phones|account)\b/.test(template)
      ? [["X-API-Key", credentials.liveKey]]
      : []
  }

  return (operation: Operation, random: Random): Draft => {
    const takesKey = operation.parameters.some(({ name }) => name.toLowerCase() === "idempotency-key")
    return {
      method: operation.method,
      target: targetOf(operation, random),
      headers: [
        ...credentialOf(operation.template),
        ...(takesKey ? [["Idempotency-Key", `k${random.between(1, 1e9)}`] as const] : []),
        ...(operation.body === undefined ? [] : [["Content-Type", "application/json"] as const])
      ],
      body: operation.body === undefined ? undefined : valueOf(operation.body, random)
    }
  }
}
