import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { AllowsPrivateAddresses } from "../../../src/layers/network/CustomerUrls.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, runDue, sandboxProcess } from "../../support/TestGraph.ts"
import { comeTo, endpointAt, payloadOf, receiver } from "../../support/WebhookProcess.ts"

const CHANNELS = [{ channel: "bale" }, { channel: "sms" }]

const send = Effect.fnUntraced(function* (customerId: number, lastDigit: number) {
  const verifications = yield* Verifications
  const phone = `+98900000000${lastDigit}`
  const answer = yield* verifications.send({ customerId, phone, channels: CHANNELS })
  yield* (yield* Workers).idle
  yield* runDue
  const id = answer.verificationId
  return {
    answer,
    status: verifications.status({ customerId, id }),
    verify: (code: string) => verifications.verify({ customerId, id, code })
  }
})

const attemptsOf = ({ status }: Effect.Success<ReturnType<typeof send>>) =>
  Effect.map(status, ({ attempts }) =>
    attempts.map(({ channel, status: made, errorCode }) => [channel.type, made, errorCode])
  )

const refusalOf = (customerId: number, lastDigit: number) =>
  Effect.map(Effect.result(send(customerId, lastDigit)), (sent) =>
    Result.isFailure(sent) ? sent.failure._tag : "accepted"
  )

layer(TestDatabase, { excludeTestServices: true })("in the sandbox, a code to", (it) => {
  const sandbox = Effect.provide(sandboxProcess())

  it.effect("…01 is refused by every channel, and fails", () =>
    Effect.gen(function* () {
      const sent = yield* send(yield* makeCustomer(), 1)
      assert.deepStrictEqual(yield* attemptsOf(sent), [
        ["messenger", "failed", "recipient_unreachable"],
        ["sms", "failed", "recipient_unreachable"]
      ])
      assert.strictEqual((yield* sent.status).status, "failed")
    }).pipe(sandbox)
  )

  it.effect("…02 is refused by the first channel, and accepted by the next", () =>
    Effect.gen(function* () {
      const sent = yield* send(yield* makeCustomer(), 2)
      assert.deepStrictEqual(yield* attemptsOf(sent), [
        ["messenger", "failed", "recipient_unreachable"],
        ["sms", "sent", null]
      ])
      assert.isTrue((yield* sent.verify("123456")).verified)
    }).pipe(sandbox)
  )

  it.effect("…03 is unknown on the first channel, and goes on", () =>
    Effect.gen(function* () {
      const sent = yield* send(yield* makeCustomer(), 3)
      assert.deepStrictEqual(yield* attemptsOf(sent), [
        ["messenger", "failed", "provider_outcome_unknown"],
        ["sms", "sent", null]
      ])
    }).pipe(sandbox)
  )

  it.effect("…04 is accepted, and no code is right until it expires", () =>
    Effect.gen(function* () {
      const { answer, status, verify } = yield* send(yield* makeCustomer(), 4)
      assert.strictEqual(answer.status, "queued")
      for (const code of ["123456", "000000", "1"])
        assert.strictEqual((yield* verify(code)).reason, "invalid_code")
      yield* comeTo(0, 300)
      assert.strictEqual((yield* status).status, "expired")
    }).pipe(sandbox)
  )

  it.effect("…05, …06 and …07 is refused as too many, unpaid and unavailable", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      assert.strictEqual(yield* refusalOf(customerId, 5), "too_many_requests_phone_hour")
      assert.strictEqual(yield* refusalOf(customerId, 6), "insufficient_balance")
      assert.strictEqual(yield* refusalOf(customerId, 7), "service_unavailable")
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from verifications where customer_id = ${customerId}`, 0)
    }).pipe(sandbox)
  )

  it.effect(
    "…08 is accepted, reported undelivered after 10 seconds, and announced to test webhooks only",
    () =>
      Effect.gen(function* () {
        const fake = yield* receiver
        const customerId = yield* makeCustomer()
        yield* endpointAt(customerId, `${fake.url}/test`, ["*"], "test")
        yield* endpointAt(customerId, `${fake.url}/live`)
        const sent = yield* send(customerId, 8)
        yield* comeTo(0, 9)
        assert.isNull((yield* sent.status).attempts[0]?.delivery)
        yield* comeTo(0, 10)
        yield* runDue
        assert.strictEqual((yield* sent.status).attempts[0]?.delivery, "undelivered")
        const payloads = fake.received.map((each) => [each.path, payloadOf(each).type, payloadOf(each).mode])
        assert.deepStrictEqual(payloads.toSorted(), [
          ["/test", "verification.attempt_sent", "test"],
          ["/test", "verification.attempt_undelivered", "test"],
          ["/test", "verification.queued", "test"]
        ])
      }).pipe(
        Effect.provide(Layer.provideMerge(sandboxProcess(), Layer.succeed(AllowsPrivateAddresses, true)))
      )
  )

  it.effect("any other phone is accepted, and not reported", () =>
    Effect.gen(function* () {
      const sent = yield* send(yield* makeCustomer(), 9)
      assert.deepStrictEqual(yield* attemptsOf(sent), [["messenger", "sent", null]])
      yield* comeTo(0, 30)
      assert.isNull((yield* sent.status).attempts[0]?.delivery)
    }).pipe(sandbox)
  )
})
