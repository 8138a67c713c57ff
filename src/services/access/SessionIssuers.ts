import { Context } from "effect"
import { AUDIENCE, ISSUER } from "../../domain/user/Sessions.ts"

export interface TrustedIssuer {
  readonly issuer: string
  readonly jwksUrl: string
  readonly audience: string
}

export interface SessionIssuersShape {
  /** The issuer in Peyk's own tokens. */
  readonly own: string
  readonly audience: string
  /** Another issuer whose tokens are accepted. */
  readonly external: TrustedIssuer | null
}

/** The issuers whose JWTs are accepted. */
export const SessionIssuers = Context.Reference<SessionIssuersShape>("peyk/services/access/SessionIssuers", {
  defaultValue: () => ({ own: ISSUER, audience: AUDIENCE, external: null })
})
