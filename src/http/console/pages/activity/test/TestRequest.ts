import { Effect } from "effect"
import { fieldError, type ValidationError } from "../../../../../domain/Errors.ts"
import { problem } from "../../../../../domain/Problem.ts"

/** The fields of a test, as they were typed. */
export interface TestRequest {
  readonly mode: "live" | "sandbox"
  readonly kind: "code" | "message"
  readonly phone: string
  /** As the selects stand: `bale:`, `bale:7`, `bale:shared`, or empty. All empty: the saved order. */
  readonly targets: ReadonlyArray<string>
  readonly templateId: number | null
  /** A message's text; with a template, what is put into its placeholders. */
  readonly message: string
  readonly parameters: ReadonlyMap<string, string>
}

export const SAMPLE_PHONE = "09121234567"

/** The route's selects: a first channel, and two more if it fails. */
export const ROUTE_LENGTH = 3

type Typed = Pick<URLSearchParams, "get" | "getAll" | "entries">

/** The form's name of a placeholder, apart from the names of its other fields. */
export const parameterName = (placeholder: string): string => `parameter.${placeholder}`

const parametersOf = (typed: Typed): ReadonlyMap<string, string> =>
  new Map(
    [...typed.entries()].flatMap(([name, value]) =>
      name.startsWith("parameter.") ? [[name.slice("parameter.".length), value] as const] : []
    )
  )

export const testRequestOf = (typed: Typed): TestRequest => {
  const template = typed.get("template") ?? ""
  const mode = typed.get("mode") === "live" ? "live" : "sandbox"
  return {
    mode,
    kind: typed.get("kind") === "message" ? "message" : "code",
    phone: (typed.get("phone") ?? "").trim(),
    targets: typed.getAll("target").slice(0, ROUTE_LENGTH),
    templateId: /^[1-9]\d{0,8}$/.test(template) ? Number(template) : null,
    message: (typed.get("message") ?? "").replaceAll("\r\n", "\n"),
    parameters: parametersOf(typed)
  }
}

export interface ChannelRequest {
  readonly channel: string
  readonly account_id?: number
  readonly sender?: "shared"
}

export const channelsOf = ({ targets }: TestRequest): ReadonlyArray<ChannelRequest> =>
  targets
    .filter((target) => target !== "")
    .map((target) => {
      const [channel = "", account = ""] = target.split(":")
      if (account === "shared") return { channel, sender: "shared" }
      return /^[1-9]\d{0,8}$/.test(account) ? { channel, account_id: Number(account) } : { channel }
    })

/** Names where names are enough. */
const wireChannels = (channels: ReadonlyArray<ChannelRequest>) =>
  channels.map(({ channel, ...more }) => (Object.keys(more).length === 0 ? channel : { channel, ...more }))

/** The body of the same request by the API. */
export const bodyOf = (request: TestRequest): Readonly<Record<string, unknown>> => {
  const channels = wireChannels(channelsOf(request))
  const phone = request.phone === "" ? SAMPLE_PHONE : request.phone
  if (request.kind === "message") {
    const { templateId: id, parameters } = request
    const content =
      id === null
        ? { message: request.message }
        : { template: { id, parameters: Object.fromEntries(parameters) } }
    return { to: phone, ...content, channels }
  }
  return {
    phone,
    ...(channels.length === 0 ? {} : { channels }),
    ...(request.templateId === null || request.mode === "sandbox" ? {} : { template_id: request.templateId })
  }
}

/** Only what the use case would not refuse by itself. */
export const checkRequest = ({ phone }: TestRequest): Effect.Effect<void, ValidationError> =>
  phone === "" ? Effect.fail(fieldError("phone", problem("phone_required"))) : Effect.void
