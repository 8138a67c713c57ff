import { Config, Option, Schema } from "effect"
import { AUDIENCE, ISSUER } from "../../domain/user/Sessions.ts"
import type { SessionIssuersShape } from "../../services/user/Sessions.ts"
import type { Setting } from "./Setting.ts"

/** Absent and empty are the same. */
const optional = (config: Config.Config<string>): Config.Config<string | null> =>
  Config.map(Config.option(config), (given) => Option.getOrNull(Option.filter(given, (text) => text !== "")))

const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol)

const HttpUrl = Schema.String.check(
  Schema.makeFilter((text) => text === "" || isHttpUrl(text) || "an http(s) URL is expected")
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
  config: optional(Config.schema(HttpUrl, "PEYK_JWT_JWKS_URL"))
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
