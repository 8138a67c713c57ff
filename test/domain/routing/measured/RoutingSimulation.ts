/** Codes of one customer over three channels, whose conversions only the oracle knows. */
import type { Random } from "../../../../bench/soak/Random.ts"
import { randomOf } from "../../../../bench/soak/Random.ts"
import type { Channel } from "../../../../src/domain/routing/Channel.ts"
import {
  type Candidate,
  type ChannelRecord,
  type FirstTry,
  measuredOrder,
  noRecord,
  recorded
} from "../../../../src/domain/routing/MeasuredOrder.ts"

export const situations = ["right order", "wrong order", "drift", "outages"] as const
export type Situation = (typeof situations)[number]
export const policies = ["saved", "measured", "Thompson", "oracle"] as const
export type Policy = (typeof policies)[number]

const candidates: ReadonlyArray<Candidate> = [
  { channel: "bale", cost: 800, isCooling: false },
  { channel: "sms", cost: 1700, isCooling: false },
  { channel: "eitaa", cost: 1000, isCooling: false }
]
const WRONG_ORDER: ReadonlyArray<Channel> = ["eitaa", "sms", "bale"]

/** Operators, how many of the codes they have, and how much better bale and eitaa are with them. */
const operators = [
  { prefix: "912", share: 0.3, bale: 0.04, eitaa: 0 },
  { prefix: "935", share: 0.25, bale: -0.03, eitaa: 0.02 },
  { prefix: "910", share: 0.2, bale: 0.02, eitaa: 0.02 },
  { prefix: "919", share: 0.15, bale: 0, eitaa: -0.03 },
  { prefix: "920", share: 0.1, bale: -0.05, eitaa: 0 }
] as const

/** So many codes later it is known whether a code was verified. */
const KNOWN_AFTER = 20

/** The share of users without a code that wait for the next channel. */
const PATIENT = 0.6
const OUTAGE_CODES = 250
const OUT = 0.02

type Conversions = Readonly<Record<"bale" | "sms" | "eitaa", number>>

/** A tenth of the time, each channel is out. */
const outages = (random: Random, codes: number) => {
  const episodes = Math.floor((0.1 * codes) / OUTAGE_CODES)
  return (["bale", "sms", "eitaa"] as const).flatMap((channel) =>
    Array.from({ length: episodes }, () => ({ channel, from: random.between(0, codes - OUTAGE_CODES) }))
  )
}

interface Given {
  readonly situation: Situation
  readonly policy: Policy
  readonly seed: string
  readonly codes: number
}

export interface Result {
  readonly conversion: number
  readonly cost: number
}

/** The cheapest of those within five points of the best, again and again, by the true conversions. */
const byTruth = (truth: Conversions): ReadonlyArray<Candidate> => {
  const ordered: Array<Candidate> = []
  for (let left = candidates; left.length > 0; left = left.filter((each) => !ordered.includes(each))) {
    const of = ({ channel }: Candidate) => truth[channel as keyof Conversions]
    const best = Math.max(...left.map(of))
    const close = left.filter((each) => of(each) >= best - 0.05)
    ordered.push(close.reduce((found, each) => (each.cost < found.cost ? each : found)))
  }
  return ordered
}

/** A draw from Beta(good + 1, bad + 1), by the normal that is close to it. */
const draw = (random: Random, [codes, verified]: readonly [number, number]): number => {
  const mean = (verified + 1) / (codes + 2)
  const deviation = Math.sqrt((mean * (1 - mean)) / (codes + 3))
  return (
    mean + deviation * Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  )
}

export const simulateRouting = ({ situation, policy, seed, codes }: Given): Result => {
  const world = randomOf(seed, "world")
  const users = randomOf(seed, "users")
  const choices = randomOf(seed, "choices", policy)
  const lost = situation === "outages" ? outages(world, codes) : []
  const saved =
    situation === "wrong order"
      ? WRONG_ORDER.flatMap((channel) => candidates.filter((each) => each.channel === channel))
      : candidates
  const tried: Array<{ readonly channel: Channel; readonly code: FirstTry }> = []
  const records: Partial<Record<Channel, ChannelRecord>> = {}

  const truthOf = (nth: number, operator: (typeof operators)[number]): Conversions => {
    const moved = situation === "drift" ? nth / codes : 0
    const usual: Conversions = {
      bale: 0.78 - 0.33 * moved + operator.bale,
      sms: 0.8,
      eitaa: 0.55 + 0.25 * moved + operator.eitaa
    }
    const isOut = (channel: string) =>
      lost.some((each) => each.channel === channel && each.from <= nth && nth < each.from + OUTAGE_CODES)
    return {
      bale: isOut("bale") ? OUT : usual.bale,
      sms: isOut("sms") ? OUT : usual.sms,
      eitaa: isOut("eitaa") ? OUT : usual.eitaa
    }
  }
  const operatorOf = (at: number) => {
    let left = at
    return operators.find(({ share }) => (left -= share) < 0) ?? operators[0]
  }
  const orderOf = (nth: number, prefix: string, truth: Conversions): ReadonlyArray<Candidate> => {
    if (policy === "saved") return saved
    if (policy === "oracle") return byTruth(truth)
    if (policy === "measured") {
      const id = `${seed}-${nth}`
      return measuredOrder({ records, platform: {} }, saved, { prefix, id }).steps
    }
    return saved
      .map((each) => ({ each, drawn: draw(choices, records[each.channel]?.tally ?? [0, 0]) }))
      .sort((one, other) => other.drawn - one.drawn)
      .map(({ each }) => each)
  }

  let verified = 0
  let cost = 0
  for (let nth = 0; nth < codes; nth++) {
    const known = nth >= KNOWN_AFTER ? tried[nth - KNOWN_AFTER] : undefined
    if (known !== undefined) {
      records[known.channel] = recorded(records[known.channel] ?? noRecord, known.code)
    }
    const operator = operatorOf(users.next())
    // The same user, whatever is tried: one draw for each channel.
    const draws = { bale: users.next(), sms: users.next(), eitaa: users.next() }
    const waits = [true, users.chance(PATIENT), users.chance(PATIENT)]
    const truth = truthOf(nth, operator)
    const order = orderOf(nth, operator.prefix, truth)
    for (const [position, { channel, cost: price }] of order.entries()) {
      if (waits[position] === false) break
      cost += price
      const isVerified = draws[channel as keyof Conversions] < truth[channel as keyof Conversions]
      if (position === 0) {
        const millis = isVerified ? 20_000 : null
        tried.push({ channel, code: { prefix: operator.prefix, isVerified, millis } })
      }
      if (!isVerified) continue
      verified += 1
      break
    }
  }
  return { conversion: verified / codes, cost: cost / codes }
}
