import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PLATFORM } from "../../src/domain/customer/Customer.ts"
import { NIL_UUID } from "../../src/domain/Uuid.ts"
import { AllowsPrivateAddresses } from "../../src/layers/network/CustomerUrls.ts"
import { timestamp } from "../../src/layers/postgres/SqlRows.ts"
import { Mailer, type Mail, type MailOutcome } from "../../src/services/alert/Mailer.ts"
import { Workers } from "../../src/services/concurrency/Workers.ts"
import { Alerts } from "../../src/services/alert/Alerts.ts"
import { Users } from "../../src/services/user/Users.ts"
import { scriptProviders } from "./ScriptedProviders.ts"
import { runDue, testProcess } from "./TestGraph.ts"

/** A mailbox in place of a mail server: it takes everything, unless the next outcomes are scripted. */
export const mailbox = () => {
  const mails: Array<Mail> = []
  const outcomes: Array<MailOutcome | "dies"> = []
  return {
    mails,
    /** The outcomes of the next tries. */
    script: (...next: ReadonlyArray<MailOutcome | "dies">) => void outcomes.push(...next),
    layer: Layer.succeed(Mailer, {
      isOn: true,
      send: (mail) =>
        Effect.suspend(() => {
          mails.push(mail)
          const outcome = outcomes.shift() ?? { _tag: "Sent" as const }
          return outcome === "dies" ? Effect.die("the process dies") : Effect.succeed(outcome)
        })
    })
  }
}

/** One process with that mailbox, that may call receivers on loopback. */
export const alertProcess = (box: ReturnType<typeof mailbox>, providers = scriptProviders(), startsAt = 0) =>
  testProcess(providers.layer, { leaseMillis: 3_600_000 }, startsAt).pipe(
    Layer.provideMerge(Layer.merge(box.layer, Layer.succeed(AllowsPrivateAddresses, true)))
  )

/** The installation's round, which a server schedules when it starts. */
export const scheduleRounds = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.orDie(sql`
    insert into timers (customer_id, kind, subject, claimable_at)
    values (${PLATFORM}, 'alert_watch', ${NIL_UUID}::uuid, ${timestamp(0)}) on conflict do nothing`)
)

/** Does what is due until nothing is. */
export const settleAlerts = Effect.gen(function* () {
  for (let done = 1; done > 0;) {
    done = yield* runDue
    // What an alert's message began when it was accepted.
    yield* (yield* Workers).idle
  }
})

/** A user of the customer who gets its alerts by e-mail. */
export const alertedUser = Effect.fnUntraced(function* (customerId: number, name = "sara") {
  const email = `${name}-${customerId}@example.com`
  const user = yield* (yield* Users).create(customerId, { email, name, role: "owner", passwordHash: "x" })
  const alerts = yield* Alerts
  const recipient = yield* alerts.addRecipient(customerId, {
    type: "user",
    userId: user.id,
    address: null,
    confirmation: null
  })
  return { email, user, recipient }
})

/** A phone that gets the customer's alerts. */
export const alertedPhone = Effect.fnUntraced(function* (customerId: number, phone: string) {
  const alerts = yield* Alerts
  const { id } = yield* alerts.addRecipient(customerId, {
    type: "phone",
    userId: null,
    address: phone,
    confirmation: { verificationId: NIL_UUID }
  })
  return yield* alerts.confirm(customerId, id)
})
