import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash, createHmac } from "node:crypto"
import { ProviderHttp } from "../../../src/layers/provider/ProviderHttp.ts"
import { telegramGatewayAdapter } from "../../../src/layers/provider/adapters/TelegramGateway.ts"
import { connected, delivery, ProviderHttpTest } from "./kit/AdapterTest.ts"
import { fakeTelegramGateway, GATEWAY_TOKEN } from "../../support/fakes/FakeTelegramGateway.ts"

const ATTEMPT = "0195f7a0-0000-7000-8000-000000000001-1"
const TIMESTAMP = "1763000010"
const NOW = 1_763_000_011_000
const BODY = `{"request_id":"7000000000000001","phone_number":"989123456789","request_cost":0.01,"payload":"7:${ATTEMPT}","delivery_status":{"status":"delivered","updated_at":1763000007}}`
/** Computed with openssl: `printf '%s\n%s' TIMESTAMP BODY | openssl dgst -sha256 -mac HMAC -macopt hexkey:SHA256(token)`. */
const SIGNATURE = "5e1f22aff6f1302f65142ccc951dfd73e9e1cadb44c1ff4020be1f900b1bca32"

const signed = (body: string, timestamp = TIMESTAMP, token = GATEWAY_TOKEN): string =>
  createHmac("sha256", createHash("sha256").update(token).digest())
    .update(`${timestamp}\n${body}`)
    .digest("hex")

/** What an account makes of a post with these headers. */
const readWith = Effect.fnUntraced(function* (
  headers: Readonly<Record<string, string>>,
  body = BODY,
  now = NOW
) {
  const adapter = telegramGatewayAdapter(yield* ProviderHttp, "http://127.0.0.1:1")
  const { readReport } = connected(adapter, { token: GATEWAY_TOKEN })
  if (readReport === undefined) return yield* Effect.die("it reads what Telegram posts")
  return readReport({ header: (name) => headers[name], body }, now)
})

const headersWith = (signature: string, timestamp = TIMESTAMP) => ({
  "x-request-timestamp": timestamp,
  "x-request-signature": signature
})

describe("a report that Telegram Gateway posts", () => {
  it.effect("is read if its signature is right", () =>
    Effect.gen(function* () {
      expect(yield* readWith(headersWith(SIGNATURE))).toEqual({
        customerId: 7,
        attemptId: ATTEMPT,
        report: { _tag: "Delivered", at: 1_763_000_007_000 }
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([
    ["sent", "InProgress"],
    ["read", "Delivered"],
    ["expired", "Undelivered"],
    ["revoked", "Undelivered"]
  ] as const)("that says %s is %s", ([status, tag]) =>
    Effect.gen(function* () {
      const body = BODY.replace('"delivered"', `"${status}"`)
      expect(yield* readWith(headersWith(signed(body)), body)).toMatchObject({ report: { _tag: tag } })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const withPayload = (payload: string) => {
    const body = JSON.stringify({ payload })
    return [headersWith(signed(body)), body] as const
  }
  const forged: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string?]> = [
    ["no signature", { "x-request-timestamp": TIMESTAMP }],
    ["no time", { "x-request-signature": SIGNATURE }],
    ["half a signature", headersWith(SIGNATURE.slice(0, 32))],
    ["a signature that is not hexadecimal", headersWith("z".repeat(64))],
    ["another account's signature", headersWith(signed(BODY, TIMESTAMP, "another-token"))],
    ["another time than the signed one", headersWith(SIGNATURE, "1763000011")],
    ["a time that is no number", headersWith(signed(BODY, "now"), "now")],
    ["another body than the signed one", headersWith(SIGNATURE), BODY.replace("delivered", "expired")],
    ["one more space than the signed body", headersWith(SIGNATURE), `${BODY} `],
    ["a body that is not JSON", headersWith(signed("no")), "no"],
    ["a customer that is no number", ...withPayload("NaN:x-1")],
    ["a customer that is no whole number", ...withPayload("1.5:x-1")],
    ["a customer that no store can have", ...withPayload("2147483648:x-1")],
    ["no customer", ...withPayload("0:x-1")],
    ["no payload of ours", headersWith(signed("{}")), "{}"]
  ]
  it.effect.each(forged)("is refused with %s", ([, headers, body]) =>
    Effect.gen(function* () {
      expect(yield* readWith(headers, body)).toBeNull()
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([
    [299, "read"],
    [301, "refused"],
    [-299, "read"],
    [-301, "refused"]
  ] as const)("whose time is %i seconds ago is %s", ([age, expected]) =>
    Effect.gen(function* () {
      const report = yield* readWith(headersWith(SIGNATURE), BODY, (Number(TIMESTAMP) + age) * 1000)
      expect(report === null ? "refused" : "read").toBe(expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("a code over Telegram Gateway", () => {
  const sentWith = Effect.fnUntraced(function* (publicUrl: string | null) {
    const fake = yield* fakeTelegramGateway()
    const adapter = telegramGatewayAdapter(yield* ProviderHttp, fake.url, publicUrl)
    yield* connected(adapter, { token: GATEWAY_TOKEN }).sendCode(delivery("telegram"))
    return Object(fake.received[1]?.json)
  })

  it.effect("asks for reports at the public address, and names the attempt", () =>
    Effect.gen(function* () {
      expect(yield* sentWith("https://peyk.example.com")).toMatchObject({
        callback_url: "https://peyk.example.com/v1/inbound/reports/1",
        payload: `1:${ATTEMPT}`
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([null, "http://peyk.example.com", `https://${"x".repeat(250)}.com`])(
    "asks for none without a short public https address: %s",
    (publicUrl) =>
      Effect.gen(function* () {
        const sent = yield* sentWith(publicUrl)
        expect(sent).not.toHaveProperty("callback_url")
        expect(sent).not.toHaveProperty("payload")
      }).pipe(Effect.provide(ProviderHttpTest))
  )
})
