import { Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { createHmac } from "node:crypto"
import { problem } from "../../domain/Problem.ts"
import { check } from "../../domain/SchemaProblems.ts"

const PREFIX = "whsec_"
const MIN_KEY_BYTES = 24
const MAX_KEY_BYTES = 64

const encodedKey = (secret: string): string =>
  secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret

const keyOf = (secret: string): Buffer => Buffer.from(encodedKey(secret), "base64")

/** Node skips characters that are not base64, so the decoded key must encode to the same text. */
const isSecret = (text: string): boolean => {
  const key = keyOf(text)
  return (
    key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES && key.toString("base64") === encodedKey(text)
  )
}

/** The signing secret as both ends write it. */
export const WebhookSecret = Schema.String.check(
  check(
    isSecret,
    problem("setting_not_secret", { minimum: MIN_KEY_BYTES, maximum: MAX_KEY_BYTES, prefix: PREFIX })
  )
).pipe(Schema.brand("WebhookSecret"))
export type WebhookSecret = typeof WebhookSecret.Type

const NEW_SECRET_BYTES = 32

export const makeWebhookSecret = (random: SecureRandom.SecureRandom["Service"]) =>
  Effect.map(random.randomBytes(NEW_SECRET_BYTES), (bytes) =>
    WebhookSecret.make(`${PREFIX}${Buffer.from(bytes).toString("base64")}`)
  )

interface WebhookMessage {
  /** A message that is sent again keeps it. */
  readonly id: string
  readonly sentAtMillis: number
  readonly body: string
}

/**
 * The headers by which a receiver verifies the sender and the time of the body: signed with each of the secrets.
 * Source: Standard Webhooks 1.0.
 */
export const webhookHeaders = (
  { id, sentAtMillis, body }: WebhookMessage,
  ...secrets: readonly [WebhookSecret, ...ReadonlyArray<WebhookSecret>]
): Readonly<Record<string, string>> => {
  const timestamp = String(Math.floor(sentAtMillis / 1000))
  const signatures = secrets.map((secret) => {
    const mac = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`)
    return `v1,${mac.digest("base64")}`
  })
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") }
}
