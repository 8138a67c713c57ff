import { Context, Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The first part of its Message-ID: a mail that is sent twice keeps it. */
  readonly id: string
  readonly at: Instant
}

/** `refused`: another try would be refused too. The reason has no secret and no address. */
export type MailOutcome =
  | { readonly _tag: "Sent" }
  | { readonly _tag: "Refused"; readonly reason: string }
  | { readonly _tag: "Unavailable"; readonly reason: string }

interface MailerShape {
  /** Whether a mail server is set. */
  readonly isOn: boolean
  readonly send: (mail: Mail) => Effect.Effect<MailOutcome>
}

const off: MailerShape = {
  isOn: false,
  send: () => Effect.succeed({ _tag: "Unavailable", reason: "e-mail is not set up" })
}

/** Sends e-mail over the installation's mail server. By default there is none. */
export const Mailer = Context.Reference<MailerShape>("peyk/services/alert/Mailer", {
  defaultValue: () => off
})
