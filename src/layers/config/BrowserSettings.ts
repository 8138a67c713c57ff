import { Config, Option, Schema } from "effect"
import type { Setting } from "./Setting.ts"

const partsOf = (list: string): ReadonlyArray<string> =>
  list
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

const isOrigin = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return ["http:", "https:"].includes(url.protocol) && url.href === `${url.origin}/`
}

const Origins = Schema.String.check(
  Schema.makeFilter(
    (list) =>
      partsOf(list).every(isOrigin) ||
      "origins separated by commas are expected, as https://console.example.ir"
  )
)

/** A name or an address, without a scheme; a port is allowed and says nothing. */
const isHost = (text: string): boolean => /^[^/?#@\s]+$/.test(text) && URL.canParse(`http://${text}`)

const Hosts = Schema.String.check(
  Schema.makeFilter(
    (list) =>
      partsOf(list).every(isHost) || "names separated by commas are expected, as peyk.example.ir,10.0.0.5"
  )
)

const allowedHosts: Setting<ReadonlyArray<string>> = {
  name: "PEYK_ALLOWED_HOSTS",
  byDefault: "",
  description:
    "Names, comma-separated, that are served as Host. Empty: on loopback only its names and the public one, else all.",
  config: Config.map(Config.option(Config.schema(Hosts, "PEYK_ALLOWED_HOSTS")), (list) =>
    partsOf(Option.getOrElse(list, () => "")).map((host) => new URL(`http://${host}`).hostname)
  )
}

/** Which names Peyk is served under, and which pages of other sites may call it. */
export const browserSettings = {
  allowedHosts,
  corsOrigins: {
    name: "PEYK_CORS_ORIGINS",
    byDefault: "",
    description: "Origins, comma-separated, whose pages may call /v1/manage and /v1/auth.",
    config: Config.map(
      Config.option(Config.schema(Origins, "PEYK_CORS_ORIGINS")),
      (list) => new Set(partsOf(Option.getOrElse(list, () => "")).map((origin) => new URL(origin).origin))
    )
  } satisfies Setting<ReadonlySet<string>>
} as const
