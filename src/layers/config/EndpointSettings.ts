import { Config, Option, Redacted, Schema } from "effect"
import { defaultEndpoints, type ProviderEndpointsShape } from "../provider/ProviderEndpoints.ts"
import type { Setting } from "./Setting.ts"

type UrlName = Exclude<Extract<keyof ProviderEndpointsShape, `${string}Url`>, "publicUrl">

const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol) && !/[?#]/.test(text)

const HttpUrl = Schema.String.check(
  Schema.makeFilter((text) => isHttpUrl(text) || "an http(s) URL without query is expected")
)

/** It can contain a password, so the error must not repeat it. */
const ProxyUrl = Schema.String.check(
  Schema.makeFilter((text) => text === "" || isHttpUrl(text) || "an http(s) URL is expected")
)

/** Paths are appended to it. */
const withoutSlash = (url: string): string => url.replace(/\/+$/, "")

const baseUrl = (name: UrlName, variable: string, provider: string): Setting<string> => ({
  name: variable,
  byDefault: defaultEndpoints[name],
  description: `The address of ${provider}.`,
  config: Config.withDefault(
    Config.map(Config.schema(HttpUrl, variable), withoutSlash),
    defaultEndpoints[name]
  )
})

const proxy = (variable: string, description: string): Setting<Redacted.Redacted | null> => ({
  name: variable,
  byDefault: "",
  description,
  config: Config.map(Config.option(Config.schema(ProxyUrl, variable)), (given) =>
    Option.getOrNull(
      Option.map(
        Option.filter(given, (url) => url !== ""),
        (url) => Redacted.make(url)
      )
    )
  )
})

const publicUrl: Setting<string | null> = {
  name: "PEYK_PUBLIC_URL",
  byDefault: "",
  description:
    "The public address of Peyk. Bots then get updates posted, and Telegram Gateway posts reports; else Peyk polls.",
  config: Config.map(
    Config.option(Config.schema(Schema.Union([Schema.Literal(""), HttpUrl]), "PEYK_PUBLIC_URL")),
    (given) =>
      Option.getOrNull(
        Option.map(
          Option.filter(given, (url) => url !== ""),
          withoutSlash
        )
      )
  )
}

/** The addresses of providers, the proxies to reach them, and Peyk's own address. */
export const endpointSettings = {
  smsirUrl: baseUrl("smsirUrl", "PEYK_SMSIR_URL", "SMS.ir"),
  kavenegarUrl: baseUrl("kavenegarUrl", "PEYK_KAVENEGAR_URL", "Kavenegar"),
  ippanelUrl: baseUrl("ippanelUrl", "PEYK_IPPANEL_URL", "IPPanel"),
  melipayamakUrl: baseUrl("melipayamakUrl", "PEYK_MELIPAYAMAK_URL", "Melipayamak"),
  ghasedakUrl: baseUrl("ghasedakUrl", "PEYK_GHASEDAK_URL", "Ghasedak"),
  farazsmsUrl: baseUrl("farazsmsUrl", "PEYK_FARAZSMS_URL", "FarazSMS"),
  baleSafirUrl: baseUrl("baleSafirUrl", "PEYK_BALE_SAFIR_URL", "Bale Safir"),
  baleBotUrl: baseUrl("baleBotUrl", "PEYK_BALE_BOT_URL", "Bale's bot API"),
  eitaaUrl: baseUrl("eitaaUrl", "PEYK_EITAA_URL", "Eitaa"),
  soroushplusUrl: baseUrl("soroushplusUrl", "PEYK_SOROUSHPLUS_URL", "Soroush Plus' bot API"),
  rubikaUrl: baseUrl("rubikaUrl", "PEYK_RUBIKA_URL", "Rubika's bot API"),
  telegramUrl: baseUrl("telegramUrl", "PEYK_TELEGRAM_URL", "Telegram's bot API"),
  telegramGatewayUrl: baseUrl("telegramGatewayUrl", "PEYK_TELEGRAM_GATEWAY_URL", "Telegram Gateway"),
  providerProxy: proxy("PEYK_PROVIDER_PROXY", "An HTTP proxy for all providers (not for bridges)."),
  telegramProxy: proxy("PEYK_TELEGRAM_PROXY", "An HTTP proxy for Telegram only, its gateway included."),
  publicUrl
} as const
