import { Clock, Effect, Option, Redacted, Result, Schema } from "effect"
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { type Instant, MINUTE_MILLIS } from "../../../domain/Instant.ts"
import { problem } from "../../../domain/Problem.ts"
import { refusing } from "../../../domain/SchemaProblems.ts"
import { TELEGRAM_GATEWAY } from "../../../domain/routing/Channel.ts"
import { readExactJson } from "../../../domain/text/Fingerprints.ts"
import { REPORT_PATH } from "../../../http/system/InboundRoutes.ts"
import { Credential } from "../AccountSettings.ts"
import type { ProviderHttp } from "../ProviderHttp.ts"
import { adapter, connectionTo, jsonCalls, problemWith, rejected } from "./AdapterKit.ts"
import { gatewayCalls, isAuthorized, readReport, ResponseBody } from "./TelegramGatewayResponses.ts"
import type {
  AttemptReport,
  PostedReport,
  ProviderAdapter
} from "../../../services/provider/ProviderAdapter.ts"
import type { CodeDelivery } from "../../../services/provider/Providers.ts"

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
const callbackOf = (
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
const readCallback =
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

const TelegramGatewaySettings = Schema.Struct({
  token: Credential.annotateKey({ description: "The gateway's access token; not a bot's." }),
  sender_username: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^@?[A-Za-z]\w{3,63}$/, refusing(problem("setting_not_username"))))
  ).annotateKey({ description: "A verified channel of yours that codes come from." })
})

const MIN_TTL_SECONDS = 30
const MAX_TTL_SECONDS = 3600

/** Telegram gives the price back if the code was not delivered by then. */
const ttlOf = (expiresAt: Instant, now: Instant): number =>
  Math.min(MAX_TTL_SECONDS, Math.max(MIN_TTL_SECONDS, Math.floor((expiresAt - now) / 1000)))

const CODE = /^\d{4,8}$/

const notSendable = rejected("request", "not sent: Telegram Gateway sends codes of 4 to 8 digits")
const noTexts = rejected("request", "not sent: Telegram Gateway sends codes only")

/** No message: asking about a request that does not exist changes nothing, and shows whether the token is accepted. */
const NO_REQUEST = "peyk-check"

/** Codes over Telegram to phone numbers. Source: core.telegram.org/gateway/api. */
export const telegramGatewayAdapter = (
  http: ProviderHttp["Service"],
  baseUrl: string,
  publicUrl: string | null = null
): ProviderAdapter => {
  const declared = {
    name: TELEGRAM_GATEWAY,
    channels: ["telegram"],
    settings: TelegramGatewaySettings
  } as const
  return adapter(declared, ({ token, sender_username }) => {
    const calls = jsonCalls(http, baseUrl, { authorization: `Bearer ${token}` }, ResponseBody)
    const gateway = gatewayCalls(calls)
    const statusOf = (request_id: string) => calls.query("/checkVerificationStatus", { request_id })
    return connectionTo(baseUrl, {
      // Nothing is de-duplicated: the id by which a send can be repeated is Telegram's, and a process that died takes it along.
      traits: { sendsTexts: false, reportsDelivery: true },
      sendCode: Effect.fnUntraced(function* (delivery) {
        const { phone, code, expiresAt } = delivery
        if (!CODE.test(Redacted.value(code))) return notSendable
        const ability = yield* gateway.checkSendAbility(phone)
        if (Result.isFailure(ability)) return ability.failure
        return yield* gateway.sendOnce({
          phone_number: phone,
          request_id: ability.success,
          code: Redacted.value(code),
          ttl: ttlOf(expiresAt, yield* Clock.currentTimeMillis),
          ...callbackOf(publicUrl, delivery),
          ...(sender_username !== undefined && { sender_username: sender_username.replace(/^@/, "") })
        })
      }),
      sendText: () => Effect.succeed(noTexts),
      check: Effect.flatMap(statusOf(NO_REQUEST), ({ response, status }) =>
        isAuthorized(response)
          ? Effect.succeed("the token is accepted")
          : Effect.fail(
              problemWith(
                response.error ?? `HTTP ${status}`,
                response.error?.startsWith("ACCESS_TOKEN_") === true
              )
            )
      ),
      deliveryReport: (requestId) => Effect.map(statusOf(requestId), ({ response }) => readReport(response)),
      readReport: readCallback(token)
    })
  })
}
