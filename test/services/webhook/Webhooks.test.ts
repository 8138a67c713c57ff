import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Messages } from "../../../src/services/message/Messages.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { PHONE, sendMessage, settle } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, runDue } from "../../support/TestGraph.ts"
import {
  customerAt,
  endpointAt,
  payloadOf,
  receiver,
  sendCode,
  webhookProcess
} from "../../support/WebhookProcess.ts"

const codesIn = (providers: ReturnType<typeof scriptProviders>) =>
  providers.deliveries.flatMap(({ code, text }) => (code === null ? [text] : [code, text]))

layer(TestDatabase, { excludeTestServices: true })("a webhook", (it) => {
  it.effect("gets the events of a code in order, with the fields of its status and never the code", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const fake = yield* receiver
      const { customerId } = yield* customerAt(fake.url)
      const { id, verify } = yield* sendCode(customerId)
      yield* runDue
      yield* verify(providers.deliveries[0]?.code ?? "")
      yield* runDue
      const payloads = fake.received.map(payloadOf).toSorted((a, b) => a.data.sequence - b.data.sequence)
      assert.deepStrictEqual(
        payloads.map(({ type, data }) => [data.sequence, type, data["status"]]),
        [
          [1, "verification.queued", "queued"],
          [2, "verification.attempt_failed", "queued"],
          [3, "verification.attempt_sent", "queued"],
          [4, "verification.verified", "verified"]
        ]
      )
      const last = payloads.at(-1)
      const shown = last?.data["attempts"] as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        [last?.timestamp, last?.data["verification_id"], last?.data["phone"], last?.data["verified_at"]],
        ["1970-01-01T00:00:00.000Z", id, "+989121234567", "1970-01-01T00:00:00.000Z"]
      )
      assert.deepStrictEqual(
        shown.map((attempt) => [attempt["status"], attempt["error_code"], attempt["provider_error"]]),
        [
          ["failed", "recipient_unreachable", "17 NotBaleUser"],
          ["sent", null, null]
        ]
      )
      assert.deepStrictEqual(shown[1]?.["delivery"], null)
      for (const { body } of fake.received) {
        for (const secret of codesIn(providers)) assert.notInclude(body, secret)
      }
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("gets the events of a message, with the metadata as it came and never the text", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const fake = yield* receiver
      const { customerId } = yield* customerAt(fake.url)
      const metadata = '{"order": 12345678901234567890}'
      const { id } = yield* sendMessage(customerId, ["bale"], { message: "a secret text", metadata })
      yield* settle
      const payloads = fake.received.map(payloadOf).toSorted((a, b) => a.data.sequence - b.data.sequence)
      assert.deepStrictEqual(
        payloads.map(({ type, data }) => [data.sequence, type, data["status"], data["message_id"]]),
        [
          [1, "message.queued", "queued", id],
          [2, "message.sending", "sending", id],
          [3, "message.sent", "sent", id]
        ]
      )
      for (const { body } of fake.received) {
        assert.notInclude(body, "secret text")
        assert.include(body, `"metadata":${metadata}`)
      }
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("gets only the events it asked for", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const fake = yield* receiver
      const { customerId } = yield* customerAt(`${fake.url}/some`, [
        "verification.attempt_sent",
        "message.sent"
      ])
      yield* endpointAt(customerId, `${fake.url}/none`, ["message.failed"])
      yield* sendCode(customerId)
      yield* sendMessage(customerId, ["bale"])
      yield* settle
      assert.deepStrictEqual(fake.received.map((each) => [each.path, payloadOf(each).type]).toSorted(), [
        ["/some", "message.sent"],
        ["/some", "verification.attempt_sent"]
      ])
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("gets an event at once, from the process that has one", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const fake = yield* receiver
      const { customerId } = yield* customerAt(fake.url)
      const { loop } = yield* TimerRunner
      yield* Effect.forkScoped(loop)
      const { verify } = yield* sendCode(customerId)
      yield* fake.arrived(2)
      yield* verify("wrong")
      yield* verify(providers.deliveries[0]?.code ?? "")
      yield* fake.arrived(3)
      yield* (yield* Messages).send({
        customerId,
        to: PHONE,
        message: "later",
        channels: [{ channel: "bale" }],
        delay: "1h"
      })
      yield* fake.arrived(4)
      assert.deepStrictEqual(payloadOf(fake.received[3] ?? assert.fail()).type, "message.queued")
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("of nobody costs nothing: its customer's events stay in the outbox", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      yield* sendCode(customerId)
      assert.lengthOf(yield* sql`select from events where customer_id = ${customerId}`, 2)
      assert.lengthOf(yield* sql`select from webhook_deliveries where customer_id = ${customerId}`, 0)
      assert.lengthOf(yield* sql`select from timers where kind = 'webhook'`, 0)
    }).pipe(Effect.provide(webhookProcess(providers)))
  })
})
