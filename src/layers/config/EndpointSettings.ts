import { Config, Option, Redacted, Schema } from "effect"
import { AUDIENCE, ISSUER } from "../../domain/user/Sessions.ts"
import { isEmail } from "../../domain/user/User.ts"
import { parseSmtpUrl, type SmtpSettings } from "../alert/MailerSmtp.ts"
import type { Setting } from "./Setting.ts"
import { defaultEndpoints, type ProviderEndpointsShape } from "../provider/ProviderEndpoints.ts"
import type { SessionIssuersShape } from "../../services/user/Sessions.ts"

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

/** Absent and empty are the same. */
const optional = (config: Config.Config<string>): Config.Config<string | null> =>
  Config.map(Config.option(config), (given) => Option.getOrNull(Option.filter(given, (text) => text !== "")))

const optionalSecretUrl = (
  variable: string,
  url: Schema.Codec<string>
): Config.Config<Redacted.Redacted | null> =>
  Config.map(optional(Config.schema(url, variable)), (given) =>
    given === null ? null : Redacted.make(given)
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
  config: optionalSecretUrl(variable, ProxyUrl)
})

const publicUrl: Setting<string | null> = {
  name: "PEYK_PUBLIC_URL",
  byDefault: "",
  description:
    "The public address of Peyk. Bots then get updates posted, and Telegram Gateway posts reports; else Peyk polls.",
  config: Config.map(
    optional(Config.schema(Schema.Union([Schema.Literal(""), HttpUrl]), "PEYK_PUBLIC_URL")),
    (given) => (given === null ? null : withoutSlash(given))
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

/** It can contain a password, so the error must not repeat it. */
const SmtpUrl = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      text === "" ||
      parseSmtpUrl(text, "") !== null ||
      "smtp://user:password@host:587 or smtps://user:password@host:465 is expected"
  )
)

const SmtpFrom = Schema.String.check(
  Schema.makeFilter((text) => text === "" || isEmail(text) || "an e-mail address is expected")
)

const smtpUrl: Setting<Redacted.Redacted | null> = {
  name: "PEYK_SMTP_URL",
  byDefault: "",
  description: "The mail server for alerts: smtp://user:password@host:587 (STARTTLS) or smtps://…:465.",
  config: optionalSecretUrl("PEYK_SMTP_URL", SmtpUrl)
}

const smtpFrom: Setting<string | null> = {
  name: "PEYK_SMTP_FROM",
  byDefault: "the user of PEYK_SMTP_URL",
  description: "The sender's address of alerts.",
  config: optional(Config.schema(SmtpFrom, "PEYK_SMTP_FROM"))
}

/** How mail leaves this installation. */
export const mailSettings = { smtpUrl, smtpFrom } as const

/** Null: no mail server is set. Without a sender, it is the user, if that is an address. */
export const smtpOf = ({
  smtpUrl: url,
  smtpFrom: from
}: {
  readonly smtpUrl: Redacted.Redacted | null
  readonly smtpFrom: string | null
}): SmtpSettings | null => {
  const parsed = url === null ? null : parseSmtpUrl(Redacted.value(url), "")
  if (parsed === null) return null
  const { user, host } = parsed
  return { ...parsed, from: from ?? (user !== null && isEmail(user) ? user : `peyk@${host}`) }
}

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
    "Names, comma-separated, served as Host. Empty: on loopback only its names and the public one, else all.",
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

const isWebUrl = (text: string): boolean =>
  URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol)

const JwksUrl = Schema.String.check(
  Schema.makeFilter((text) => text === "" || isWebUrl(text) || "an http(s) URL is expected")
)

const jwtIssuer: Setting<string | null> = {
  name: "PEYK_JWT_ISSUER",
  byDefault: "",
  description: "Another issuer (`iss`) of JWTs for management; needs PEYK_JWT_JWKS_URL.",
  config: optional(Config.String("PEYK_JWT_ISSUER"))
}

const jwtJwksUrl: Setting<string | null> = {
  name: "PEYK_JWT_JWKS_URL",
  byDefault: "",
  description: "The address of that issuer's public keys (JWKS).",
  config: optional(Config.schema(JwksUrl, "PEYK_JWT_JWKS_URL"))
}

const jwtAudience: Setting<string> = {
  name: "PEYK_JWT_AUDIENCE",
  byDefault: AUDIENCE,
  description: "The audience (`aud`) that JWTs of that issuer must have.",
  config: Config.withDefault(Config.NonEmptyString("PEYK_JWT_AUDIENCE"), AUDIENCE)
}

/** The issuers whose JWTs are accepted, in addition to Peyk. */
export const sessionSettings = { jwtIssuer, jwtJwksUrl, jwtAudience } as const

/** Another issuer counts only if its keys can be fetched. */
export const sessionIssuers = (given: {
  readonly publicUrl: string | null
  readonly jwtIssuer: string | null
  readonly jwtJwksUrl: string | null
  readonly jwtAudience: string
}): SessionIssuersShape => ({
  own: given.publicUrl ?? ISSUER,
  audience: AUDIENCE,
  external:
    given.jwtIssuer === null || given.jwtJwksUrl === null
      ? null
      : { issuer: given.jwtIssuer, jwksUrl: given.jwtJwksUrl, audience: given.jwtAudience }
})
