/** The requests of backends for messages. */
import { setTimeout as pause } from "node:timers/promises"
import type { Call } from "./Client.ts"
import { errorCodeOf } from "./Contract.ts"
import type { Subject } from "./Journal.ts"
import { channelNames } from "./Providers.ts"
import type { Random } from "./Random.ts"
import { readStatus, type World } from "./Statuses.ts"

/** Sometimes sent repeatedly with the same key, which creates one message. */
const send = async ({ backend, journal }: World, subject: Subject, body: object, random: Random) => {
  const { customer, idempotencyKey, phone } = subject
  const call: Call = {
    operation: "POST /v1/messages/send",
    key: customer.key,
    idempotencyKey,
    body: { to: phone, message: `soak ${phone}`, metadata: { order: phone }, ...body }
  }
  const hangUpAfter = random.chance(0.06) ? { hangUpAfter: random.between(0, 30) } : {}
  const answers = [await backend.insist({ ...call, ...hangUpAfter }, random)]
  if (random.chance(0.2))
    answers.push(
      ...(await Promise.all([backend.insist(call, random, false), backend.insist(call, random, false)]))
    )
  for (const { reply } of answers) {
    const id = Object(reply?.body).message_id
    if (reply?.status === 201 && typeof id === "string") subject.ids.add(id)
  }
  if (subject.ids.size > 1) journal.contradiction(`${phone}: one key, ids ${[...subject.ids].join(", ")}`)
  if (subject.ids.size > 0 && random.chance(0.1)) {
    const { reply } = await backend.insist(
      { ...call, body: { to: phone, message: "soak other", channels: "sms" } },
      random
    )
    if (reply !== null && errorCodeOf(reply) !== "idempotency_key_conflict") {
      journal.contradiction(`${phone}: another body with the same key was answered ${reply.status}`)
    }
  }
  return [...subject.ids][0]
}

const sendAndFollow = async (world: World, subject: Subject, body: object, random: Random) => {
  const id = await send(world, subject, body, random)
  if (id === undefined) return
  for (let nth = random.between(0, 3); nth > 0; nth -= 1) {
    await pause(random.between(50, 600))
    await readStatus(world, subject, id, random)
  }
}

const someChannels = (random: Random) => random.shuffled(channelNames).slice(0, random.between(1, 3))

export const sendText = (world: World, subject: Subject, random: Random) =>
  sendAndFollow(world, subject, { channels: someChannels(random) }, random)

export const sendTextEverywhere = (world: World, subject: Subject, random: Random) =>
  sendAndFollow(world, subject, { channels: someChannels(random), strategy: "broadcast" }, random)

export const sendTextLater = (world: World, subject: Subject, random: Random) => {
  const strategy = random.chance(0.3) ? "broadcast" : "failover"
  const delay = `${random.between(1, 20)}s`
  return sendAndFollow(world, subject, { channels: someChannels(random), strategy, delay }, random)
}
