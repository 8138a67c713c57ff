import { Context } from "effect"
import { AUDIENCE, ISSUER } from "../../domain/people/SessionClaims.ts"

export interface TrustedIssuer {
  readonly issuer: string
  readonly jwksUrl: string
  readonly audience: string
}

export interface SessionIssuersShape {
  /** What our own tokens say they are of. */
  readonly own: string
  readonly audience: string
  /** Another one whose tokens are accepted. */
  readonly external: TrustedIssuer | null
}

/** Whose JWTs are accepted. */
export const SessionIssuers = Context.Reference<SessionIssuersShape>("peyk/services/access/SessionIssuers", {
  defaultValue: () => ({ own: ISSUER, audience: AUDIENCE, external: null })
})
