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

export const corsSettings = {
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
