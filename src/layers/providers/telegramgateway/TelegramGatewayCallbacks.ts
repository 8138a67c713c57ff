import { Option, Result, Schema } from "effect"
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { REPORT_PATH } from "../../../http/system/InboundRoutes.ts"
import { type Instant, MINUTE_MILLIS } from "../../../domain/Instant.ts"
import { readExactJson } from "../../../domain/text/CanonicalJson.ts"
import type { AttemptReport, PostedReport } from "../../../services/provider/ProviderAdapter.ts"
import type { CodeDelivery } from "../../../services/provider/Providers.ts"
import { readReport } from "./TelegramGatewayAnswers.ts"

const MAX_URL_BYTES = 256
const MAX_AGE_MILLIS = 5 * MINUTE_MILLIS

/** The largest int4. */
const MAX_CUSTOMER_ID = 2_147_483_647

/** The id alone would not show whose verification it is. */
const Payload = Schema.TemplateLiteralParser([
  Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: MAX_CUSTOMER_ID })),
  ":",
  Schema.String
])

/**
 * Asks Telegram to post what becomes of a code: nothing if it could not, because Peyk has no public https address.
 */
export const callbackOf = (
  publicUrl: string | null,
  { customerId, attemptId, step }: Pick<CodeDelivery, "customerId" | "attemptId" | "step">
): { readonly callback_url?: string; readonly payload?: string } => {
  const callback_url = `${publicUrl}${REPORT_PATH}/${step.account_id}`
  return publicUrl?.startsWith("https://") === true && callback_url.length <= MAX_URL_BYTES
    ? { callback_url, payload: `${customerId}:${attemptId}` }
    : {}
}

/** As Telegram signs it: HMAC-SHA256 of the time and the body as it came, under the SHA-256 of the token. */
const isSigned = (token: string, timestamp: string, { header, body }: PostedReport): boolean => {
  const key = createHash("sha256").update(token).digest()
  const expected = createHmac("sha256", key).update(`${timestamp}\n${body}`).digest()
  const given = Buffer.from(header("x-request-signature") ?? "", "hex")
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const isRecent = (timestamp: string, now: Instant): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1000) <= MAX_AGE_MILLIS

const Status = Schema.Struct({ payload: Payload })
const decodeStatus = Schema.decodeUnknownOption(Status)

/** Reads what Telegram posts about a code; null if it did not sign it, or not lately. */
export const readCallback =
  (token: string) =>
  (posted: PostedReport, now: Instant): AttemptReport | null => {
    const timestamp = posted.header("x-request-timestamp") ?? ""
    if (!isRecent(timestamp, now) || !isSigned(token, timestamp, posted)) return null
    const result = Result.getOrUndefined(readExactJson(posted.body))
    const status = Option.getOrUndefined(decodeStatus(result))
    if (status === undefined) return null
    const [customerId, , attemptId] = status.payload
    return { customerId, attemptId, report: readReport({ ok: true, result }) }
  }
