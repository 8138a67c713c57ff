/** The requests of backends and their users for codes. */
import { setTimeout as pause } from "node:timers/promises"
import type { Responded } from "./Backend.ts"
import type { Call, Outcome } from "./Client.ts"
import { errorCodeOf } from "./Contract.ts"
import type { Journal, Subject } from "./Journal.ts"
import { channelNames } from "./Providers.ts"
import type { Random } from "./Random.ts"
import { readStatus, type World } from "./Statuses.ts"

const MAX_WRONG_CODES = 5
const CODE_COMES_WITHIN = 20
const LOOK_EVERY_MILLIS = 100

/** One to three channels in some order, or the customer's own routing. */
const someRoute = (random: Random): object => {
  if (random.chance(0.2)) return {}
  const channels = random.shuffled(channelNames).slice(0, random.between(1, 3))
  if (random.chance(0.5)) return { channels, channel_timeout: 45 }
  return { channels: channels.map((channel) => ({ channel, wait: 45 })) }
}

const sendCall = ({ customer, idempotencyKey }: Subject, body: object): Call => ({
  operation: "POST /v1/otp/send",
  key: customer.key,
  idempotencyKey,
  body
})

/** Every response to one key names one verification. */
const noteId = (journal: Journal, subject: Subject, { reply }: Responded): string | undefined => {
  const id = Object(reply?.body).verification_id
  if (reply?.status !== 200 || typeof id !== "string") return undefined
  subject.ids.add(id)
  if (subject.ids.size > 1)
    journal.contradiction(`${subject.phone}: one key, ids ${[...subject.ids].join(", ")}`)
  return id
}

const send = async ({ backend, journal }: World, subject: Subject, body: object, random: Random) => {
  const hangUpAfter = random.chance(0.06) ? { hangUpAfter: random.between(0, 40) } : {}
  const answered = await backend.insist({ ...sendCall(subject, body), ...hangUpAfter }, random)
  return noteId(journal, subject, answered)
}

/** The code that the user reads from the phone; undefined if none has arrived. */
const codeOn = async (
  { providers }: World,
  { phone }: Subject,
  isWaitedFor = true
): Promise<string | undefined> => {
  for (let look = 0; look < CODE_COMES_WITHIN; look += 1) {
    const [arrival] = providers.inbox(phone)
    if (arrival !== undefined || !isWaitedFor) return arrival?.content
    await pause(LOOK_EVERY_MILLIS)
  }
  return undefined
}

const enter = async (
  { backend, journal }: World,
  subject: Subject,
  given: { readonly id: string; readonly code: string; readonly isRight: boolean },
  random: Random
) => {
  const { id, code, isRight } = given
  const body = { verification_id: id, code }
  if (isRight) subject.rightCodesGiven += 1
  const outcome = await backend.once(
    { operation: "POST /v1/otp/verify", key: subject.customer.key, body },
    random
  )
  if (outcome._tag === "Broken" || outcome.status === 503) {
    if (isRight) subject.rightCodesLost += 1
    else subject.wrongCodesLost += 1
    return outcome
  }
  const { verified, reason } = Object(outcome.body)
  const summary = `${subject.phone}: ${isRight ? "the right" : "a wrong"} code for ${id} was answered ${outcome.status} ${JSON.stringify(outcome.body)}`
  if (outcome.status !== 200 || verified !== (reason === "ok")) journal.contradiction(summary)
  if (verified === true) subject.verified += 1
  if (reason === "invalid_code") subject.refusedCodes += 1
  if (verified === isRight) return outcome
  if (isRight ? reason === "invalid_code" : verified === true) journal.contradiction(summary)
  return outcome
}

const wrongCodeFor = (code: string | undefined, random: Random): string => {
  const wrong = String(random.between(0, 999_999)).padStart(6, "0")
  return wrong === code ? wrongCodeFor(code, random) : wrong
}

/** Enters the right code until a response shows the result. */
const enterRight = async (
  world: World,
  subject: Subject,
  given: { readonly id: string; readonly code: string; readonly isAlone: boolean },
  random: Random
) => {
  const attempts: Array<Outcome> = []
  for (let nth = 0; nth < 6; nth += 1) {
    const outcome = await enter(world, subject, { ...given, isRight: true }, random)
    attempts.push(outcome)
    if (outcome._tag === "Reply" && outcome.status !== 503) break
    await pause(200)
  }
  if (given.isAlone && attempts.length > 1) world.journal.repeated.push(attempts)
}

/** The user mistypes now and then, and then enters the code; sometimes from two devices at once. */
export const signIn = async (world: World, subject: Subject, random: Random) => {
  const id = await send(world, subject, { phone: subject.phone, ...someRoute(random) }, random)
  if (id === undefined) return
  await readStatus(world, subject, id, random)
  const code = await codeOn(world, subject)
  for (let nth = random.between(-2, 2); nth > 0; nth -= 1) {
    await enter(world, subject, { id, code: wrongCodeFor(code, random), isRight: false }, random)
  }
  if (code === undefined) return
  const devices = random.chance(0.4) ? [0, 1, 2] : [0]
  const given = { id, code, isAlone: devices.length === 1 }
  await Promise.all(devices.map(() => enterRight(world, subject, given, random)))
  await readStatus(world, subject, id, random)
}

/** An attacker guesses, from several places at once. */
export const guess = async (world: World, subject: Subject, random: Random) => {
  const id = await send(world, subject, { phone: subject.phone, ...someRoute(random) }, random)
  if (id === undefined) return
  const code = await codeOn(world, subject, false)
  const guesses = Array.from({ length: MAX_WRONG_CODES + 2 }, () => wrongCodeFor(code, random))
  await Promise.all(guesses.map((each) => enter(world, subject, { id, code: each, isRight: false }, random)))
  if (code !== undefined) await enter(world, subject, { id, code, isRight: true }, random)
  await readStatus(world, subject, id, random)
}

/** The code is never entered: it goes from channel to channel, and expires. */
export const ignore = async (world: World, subject: Subject, random: Random) => {
  const id = await send(world, subject, { phone: subject.phone, ...someRoute(random) }, random)
  if (id === undefined) return
  for (let nth = random.between(0, 3); nth > 0; nth -= 1) {
    await pause(random.between(50, 600))
    await readStatus(world, subject, id, random)
  }
}

/** Two workers of a backend send with the same key at once; later comes the same again, and then something else. */
export const repeat = async (world: World, subject: Subject, random: Random) => {
  const { backend, journal } = world
  const body = {
    phone: subject.phone,
    channels: random.shuffled(channelNames).slice(0, 2),
    channel_timeout: 45
  }
  const again = () => backend.insist(sendCall(subject, body), random, false)
  const both = await Promise.all([again(), again()])
  for (const each of both) noteId(journal, subject, each)
  if (both.every(({ reply }) => reply === null)) return
  const later = await again()
  noteId(journal, subject, later)
  if (later.reply !== null && !(later.reply.status === 200 && later.reply.isReplayed)) {
    journal.contradiction(`${subject.phone}: a repeat was answered ${later.reply.status} as if it were new`)
  }
  const other = await backend.insist(sendCall(subject, { ...body, channel_timeout: 46 }), random)
  if (other.reply !== null && errorCodeOf(other.reply) !== "idempotency_key_conflict") {
    journal.contradiction(
      `${subject.phone}: another body with the same key was answered ${other.reply.status}`
    )
  }
}

/** Requests that must be refused with documented errors. */
export const blunder = async ({ backend, journal }: World, subject: Subject, random: Random) => {
  const { key } = subject.customer
  const send: Call = {
    ...sendCall(subject, { phone: "12345" }),
    idempotencyKey: `${subject.idempotencyKey}-blunder`
  }
  const nobody = "0197f000-0000-7000-8000-000000000000"
  const [call, code] = random.pick([
    [send, "invalid_phone"],
    [{ ...send, body: { phone: subject.phone, channels: ["pigeon"] } }, "invalid_channel"],
    [{ ...send, body: { phone: 5 } }, "validation_error"],
    [{ ...send, key: "svc_live_nobody" }, "unauthenticated"],
    [{ operation: "GET /v1/otp/{verification_id}", id: nobody, key }, "not_found"],
    [
      { operation: "POST /v1/otp/verify", key, body: { verification_id: nobody, code: "123456" } },
      "not_found"
    ]
  ] as ReadonlyArray<readonly [Call, string]>)
  const { reply } = await backend.insist(call, random)
  if (reply !== null && errorCodeOf(reply) !== code) {
    journal.contradiction(`${call.operation} was to be refused with ${code}: ${JSON.stringify(reply.body)}`)
  }
}
