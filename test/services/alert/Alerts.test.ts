import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AlertCodes } from "../../../src/services/alert/AlertCodes.ts"
import {
  addAlertRecipient,
  Alerts,
  confirmAlertRecipient,
  testAlertRecipient
} from "../../../src/services/alert/Alerts.ts"
import type { AlertCondition } from "../../../src/domain/alert/Alert.ts"
import { operatorActor } from "../../../src/domain/user/Actor.ts"
import { perform } from "../../../src/services/Action.ts"
import { Users } from "../../../src/services/user/Users.ts"
import { Accounts } from "../../../src/services/account/Accounts.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import {
  alertedPhone,
  alertedUser,
  alertProcess,
  mailbox,
  scheduleRounds,
  settleAlerts
} from "../../support/AlertProcess.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { makeCustomer } from "../../support/TestGraph.ts"
import { endpointAt, payloadOf, receiver } from "../../support/WebhookProcess.ts"

const PHONE = "+989121234567"

const budget: AlertCondition = {
  kind: "budget",
  subject: { type: "budget", id: "2026-11:80", name: "2026-11" },
  counts: { percent: 80, spent: 800, limit: 1000 }
}
const down = (account: number, label = "main"): AlertCondition => ({
  kind: "channel_down",
  subject: { type: "account", id: String(account), name: label },
  counts: {}
})

/** The installation was noon in Tehran: no quiet hours. */
const NOON = Date.UTC(2026, 10, 27, 8, 30)

const call = <Input, Target>(customerId: number, target: Target, input: Input) => ({
  actor: operatorActor(customerId),
  origin: { ip: null, userAgent: null, requestId: null },
  target,
  input,
  version: null
})

const list = (customerId: number) =>
  Effect.flatMap(Alerts, (alerts) =>
    Effect.map(alerts.list(customerId, { limit: 50, after: null }), ({ items }) => items)
  )

const subjectsIn = ({ mails }: ReturnType<typeof mailbox>) => mails.map(({ subject }) => subject)
const recipientsIn = ({ mails }: ReturnType<typeof mailbox>) => mails.map(({ to }) => to)
const pathsAt = ({ received }: Effect.Success<typeof receiver>) => received.map(({ path }) => path)

layer(TestDatabase, { excludeTestServices: true })("alerts", (it) => {
  it.effect("reach a user by e-mail, once an hour: what was held back is counted in the next", () => {
    const box = mailbox()
    return Effect.gen(function* () {
      const alerts = yield* Alerts
      const customerId = yield* makeCustomer()
      const { email } = yield* alertedUser(customerId)
      for (let each = 0; each < 3; each += 1) yield* alerts.raise(customerId, budget)
      yield* settleAlerts
      assert.deepStrictEqual([recipientsIn(box), subjectsIn(box)], [[email], ["[Peyk · test] بودجه"]])
      yield* TestClock.adjust("1 hour")
      yield* alerts.raise(customerId, budget)
      yield* settleAlerts
      assert.strictEqual(box.mails.length, 2)
      assert.include(box.mails[1]?.text, "۲ بار دیگر")
      assert.deepStrictEqual(
        (yield* list(customerId)).map(({ heldBack }) => heldBack),
        [2, 0]
      )
      // Another subject is another alert.
      yield* alerts.raise(customerId, { ...budget, subject: { ...budget.subject, id: "2026-11:100" } })
      yield* settleAlerts
      assert.strictEqual(box.mails.length, 3)
    }).pipe(Effect.provide(alertProcess(box, scriptProviders(), NOON)))
  })

  it.effect("raised by many at once are one", () => {
    const box = mailbox()
    return Effect.gen(function* () {
      const alerts = yield* Alerts
      const customerId = yield* makeCustomer()
      yield* alertedUser(customerId)
      yield* Effect.replicateEffect(alerts.raise(customerId, budget), 8, { concurrency: "unbounded" })
      yield* settleAlerts
      assert.strictEqual(box.mails.length, 1)
    }).pipe(Effect.provide(alertProcess(box, scriptProviders(), NOON)))
  })

  it.effect("wait for the end of quiet hours, unless they are urgent", () => {
    const box = mailbox()
    return Effect.gen(function* () {
      const alerts = yield* Alerts
      const customerId = yield* makeCustomer()
      yield* alertedUser(customerId)
      // From noon on, for an hour.
      yield* Effect.orDie(alerts.saveSettings(customerId, { quietHours: { from: 720, until: 780 } }, null))
      yield* alerts.raise(customerId, budget)
      yield* alerts.raise(customerId, down(7))
      yield* settleAlerts
      assert.deepStrictEqual(subjectsIn(box), ["[Peyk · test] قطعی کانال"])
      yield* TestClock.adjust("59 minutes")
      yield* settleAlerts
      assert.strictEqual(box.mails.length, 1)
      yield* TestClock.adjust("1 minute")
      yield* settleAlerts
      assert.strictEqual(box.mails[1]?.subject, "[Peyk · test] بودجه")
    }).pipe(Effect.provide(alertProcess(box, scriptProviders(), NOON)))
  })

  it.effect("reach webhooks at the end of quiet hours too, unless they are urgent", () => {
    const box = mailbox()
    return Effect.gen(function* () {
      const alerts = yield* Alerts
      const fake = yield* receiver
      const types = () => fake.received.map((request) => payloadOf(request).type)
      const customerId = yield* makeCustomer()
      yield* endpointAt(customerId, `${fake.url}/hooks`, ["alert.*"])
      // From noon on, for an hour.
      yield* Effect.orDie(alerts.saveSettings(customerId, { quietHours: { from: 720, until: 780 } }, null))
      yield* alerts.raise(customerId, budget)
      yield* alerts.raise(customerId, down(7))
      yield* settleAlerts
      assert.deepStrictEqual(types(), ["alert.channel_down"])
      yield* TestClock.adjust("59 minutes")
      yield* settleAlerts
      assert.deepStrictEqual(types(), ["alert.channel_down"])
      yield* TestClock.adjust("1 minute")
      yield* settleAlerts
      assert.deepStrictEqual(types(), ["alert.channel_down", "alert.budget"])
      const late = fake.received.map(payloadOf).at(-1)
      assert.strictEqual(late?.timestamp, "2026-11-27T08:30:00.000Z")
      // Those who want no exception get none.
      yield* Effect.orDie(
        alerts.saveSettings(customerId, { quietHours: { from: 720, until: 840 }, urgentPasses: false }, null)
      )
      yield* alerts.raise(customerId, down(8))
      yield* settleAlerts
      assert.lengthOf(fake.received, 2)
      yield* TestClock.adjust("1 hour")
      yield* settleAlerts
      assert.lengthOf(fake.received, 3)
    }).pipe(Effect.provide(alertProcess(box, scriptProviders(), NOON)))
  })

  it.effect(
    "are tried again with the same Message-ID, and end as failed when the server refuses for good",
    () => {
      const box = mailbox()
      return Effect.gen(function* () {
        const alerts = yield* Alerts
        const customerId = yield* makeCustomer()
        yield* alertedUser(customerId)
        box.script(
          { _tag: "Unavailable", reason: "SMTP 451 (EENVELOPE)" },
          { _tag: "Refused", reason: "SMTP 550 (EENVELOPE)" }
        )
        yield* alerts.raise(customerId, budget)
        yield* settleAlerts
        const [waiting] = yield* list(customerId)
        assert.deepInclude(waiting?.deliveries[0], {
          status: "pending",
          tries: 1,
          error: "SMTP 451 (EENVELOPE)"
        })
        yield* TestClock.adjust("1 minute")
        yield* settleAlerts
        const [failed] = yield* list(customerId)
        assert.deepInclude(failed?.deliveries[0], {
          status: "failed",
          tries: 2,
          error: "SMTP 550 (EENVELOPE)"
        })
        assert.strictEqual(new Set(box.mails.map(({ id }) => id)).size, 1)
        yield* TestClock.adjust("2 days")
        yield* settleAlerts
        assert.strictEqual(box.mails.length, 2)
      }).pipe(Effect.provide(alertProcess(box, scriptProviders(), NOON)))
    }
  )

  it.effect("are sent by another process if one dies while it sends", () => {
    const box = mailbox()
    return Effect.gen(function* () {
      const alerts = yield* Alerts
      const customerId = yield* makeCustomer()
      yield* alertedUser(customerId)
      box.script("dies")
      yield* alerts.raise(customerId, budget)
      yield* settleAlerts
      yield* TestClock.adjust("61 minutes")
      yield* settleAlerts
      assert.strictEqual(box.mails.length, 2)
      const [alert] = yield* list(customerId)
      assert.deepInclude(alert?.deliveries[0], { status: "sent" })
    }).pipe(Effect.provide(alertProcess(box, scriptProviders(), NOON)))
  })

  it.effect("go to nobody who was removed or disabled, nor of a kind that is switched off", () => {
    const box = mailbox()
    return Effect.gen(function* () {
      const alerts = yield* Alerts
      const users = yield* Users
      const customerId = yield* makeCustomer()
      const gone = yield* alertedUser(customerId, "gone")
      const disabled = yield* alertedUser(customerId, "disabled")
      yield* alerts.raise(customerId, budget)
      yield* Effect.orDie(alerts.removeRecipient(customerId, gone.recipient.id))
      yield* Effect.orDie(users.update(customerId, disabled.user.id, { isDisabled: true }))
      yield* settleAlerts
      assert.deepStrictEqual(box.mails, [])
      const [alert] = yield* list(customerId)
      assert.deepStrictEqual(
        alert?.deliveries.map(({ status }) => status),
        ["dropped", "dropped"]
      )
      yield* alertedUser(customerId, "there")
      yield* Effect.orDie(alerts.saveSettings(customerId, { kinds: ["budget"] }, null))
      yield* alerts.raise(customerId, down(7))
      yield* settleAlerts
      assert.deepStrictEqual(box.mails, [])
    }).pipe(Effect.provide(alertProcess(box, scriptProviders(), NOON)))
  })

  it.effect("reach a phone over the customer's accounts, never over the one that they are about", () => {
    const providers = scriptProviders()
    const box = mailbox()
    return Effect.gen(function* () {
      const alerts = yield* Alerts
      const customerId = yield* makeCustomer(["bale", "eitaa", "sms"])
      const { items } = yield* (yield* Accounts).list(customerId, { limit: 10, after: null })
      const bale = items.find(({ channel }) => channel === "bale")
      yield* alertedPhone(customerId, PHONE)
      yield* alerts.raise(customerId, down(bale?.id ?? 0, "bale"))
      yield* settleAlerts
      yield* settleAlerts
      assert.deepStrictEqual(
        providers.deliveries.map(({ channel, code }) => [channel, code]),
        [["eitaa", null]]
      )
      assert.include(providers.deliveries[0]?.text, "قطعی کانال")
      yield* alerts.raise(customerId, {
        ...down(0),
        subject: { type: "channel", id: "eitaa", name: "eitaa" }
      })
      yield* settleAlerts
      yield* settleAlerts
      assert.strictEqual(providers.deliveries[1]?.channel, "bale")
      const [, first] = yield* list(customerId)
      assert.isNotNull(first?.deliveries[0]?.messageId)
    }).pipe(Effect.provide(alertProcess(box, providers, NOON)))
  })

  it.effect("are events for endpoints that name them, and not for the one that they are about", () => {
    const box = mailbox()
    return Effect.gen(function* () {
      const alerts = yield* Alerts
      const fake = yield* receiver
      const customerId = yield* makeCustomer()
      yield* endpointAt(customerId, `${fake.url}/all`, ["*"])
      const own = yield* endpointAt(customerId, `${fake.url}/own`, ["alert.*"])
      yield* endpointAt(customerId, `${fake.url}/one`, ["alert.webhook_off"])
      yield* alerts.raise(customerId, {
        kind: "webhook_off",
        subject: { type: "webhook", id: String(own.id), name: "own" },
        counts: {}
      })
      yield* settleAlerts
      assert.deepStrictEqual(pathsAt(fake), ["/one"])
      const [got] = fake.received.map(payloadOf)
      assert.deepInclude(got, { type: "alert.webhook_off", mode: "live" })
      assert.deepInclude(got?.data, {
        kind: "webhook_off",
        subject: { type: "webhook", id: String(own.id), name: "own" },
        held_back: 0,
        sequence: 1
      })
      yield* alerts.raise(customerId, budget)
      yield* settleAlerts
      assert.deepStrictEqual(pathsAt(fake), ["/one", "/own"])
    }).pipe(Effect.provide(alertProcess(box, scriptProviders(), NOON)))
  })

  it.effect("are found by rounds: each condition once, and again when it comes back", () => {
    const box = mailbox()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      yield* alertedUser(customerId)
      yield* scheduleRounds
      const { id } = yield* endpointAt(customerId, "http://127.0.0.1:9/", ["message.sent"])
      const minutes = Effect.fnUntraced(function* (count: number) {
        for (let each = 0; each < count; each += 1) {
          yield* TestClock.adjust("1 minute")
          yield* settleAlerts
        }
      })
      yield* settleAlerts
      yield* minutes(2)
      assert.deepStrictEqual(box.mails, [])
      yield* sql`update webhook_endpoints set disabled_at = now(), disabled_reason = 'gone' where id = ${id}`
      yield* minutes(3)
      assert.deepStrictEqual(subjectsIn(box), ["[Peyk · test] وب‌هوک غیرفعال شد"])
      yield* sql`update webhook_endpoints set disabled_at = null, disabled_reason = null where id = ${id}`
      yield* minutes(2)
      yield* sql`update webhook_endpoints set disabled_at = now(), disabled_reason = 'gone' where id = ${id}`
      yield* minutes(10)
      assert.strictEqual(box.mails.length, 1)
      yield* minutes(50)
      assert.strictEqual(box.mails.length, 2)
    }).pipe(Effect.provide(alertProcess(box, scriptProviders(), NOON)))
  })

  it.effect("of another customer are nobody's", () => {
    const box = mailbox()
    return Effect.gen(function* () {
      const alerts = yield* Alerts
      const [one, other] = [yield* makeCustomer(), yield* makeCustomer()]
      const { recipient } = yield* alertedUser(one)
      for (const found of [
        alerts.findRecipient(other, recipient.id),
        alerts.removeRecipient(other, recipient.id),
        alerts.confirm(other, recipient.id),
        alerts.verificationOf(other, recipient.id)
      ]) {
        assert.strictEqual(
          (yield* Effect.flip(Effect.asVoid<unknown, { readonly _tag: string }, never>(found)))._tag,
          "not_found"
        )
      }
    }).pipe(Effect.provide(alertProcess(box, scriptProviders(), NOON)))
  })

  it.effect("need an address that was confirmed: five wrong codes end it, also at once", () => {
    const box = mailbox()
    return Effect.gen(function* () {
      const alerts = yield* Alerts
      const customerId = yield* makeCustomer()
      const add = (email: string) => perform(addAlertRecipient, call(customerId, undefined, { email }))
      const codeOf = (text = "") => /\d{6}/.exec(text.replace(/[۰-۹]/g, ""))?.[0] ?? ""
      const first = yield* add("oncall@example.com")
      yield* alerts.raise(customerId, budget)
      yield* settleAlerts
      assert.deepStrictEqual(recipientsIn(box), ["oncall@example.com"])
      const code = codeOf(box.mails[0]?.text)
      const compared = alerts.compareCode(customerId, first.id, Redacted.make("wrong"))
      const wrong = yield* Effect.replicateEffect(compared, 20, { concurrency: "unbounded" })
      assert.strictEqual(wrong.filter((each) => each === "wrong").length, 5)
      const ended = yield* Effect.flip(perform(confirmAlertRecipient, call(customerId, first.id, { code })))
      assert.strictEqual(ended._tag, "validation_error")
      yield* Effect.orDie(alerts.removeRecipient(customerId, first.id))
      const second = yield* add("oncall@example.com")
      const right = codeOf(box.mails.at(-1)?.text)
      const confirmed = yield* perform(confirmAlertRecipient, call(customerId, second.id, { code: right }))
      assert.isNotNull(confirmed.confirmedAt)
      assert.strictEqual((yield* Effect.flip(add("oncall@example.com")))._tag, "conflict")
      // Codes are limited to five an hour, whoever they go to.
      for (const each of [4, 5]) yield* add(`nr${each}@example.com`)
      assert.strictEqual((yield* Effect.flip(add("nr6@example.com")))._tag, "conflict")
      yield* TestClock.adjust("1 hour")
      yield* add("nr6@example.com")
    }).pipe(
      Effect.provide(Layer.provideMerge(AlertCodes.layerMail, alertProcess(box, scriptProviders(), NOON)))
    )
  })

  it.effect("can be tried five times an hour", () => {
    const box = mailbox()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { recipient } = yield* alertedUser(customerId)
      const test = perform(testAlertRecipient, call(customerId, recipient.id, {}))
      for (let each = 0; each < 5; each += 1) yield* test
      assert.strictEqual((yield* Effect.flip(test))._tag, "conflict")
      yield* settleAlerts
      assert.strictEqual(box.mails.length, 5)
      yield* TestClock.adjust("1 hour")
      yield* test
    }).pipe(Effect.provide(alertProcess(box, scriptProviders(), NOON)))
  })
})
