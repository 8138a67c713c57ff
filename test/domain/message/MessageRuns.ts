import { Arbitrary, Schema } from "effect"
import type { Instant } from "../../../src/domain/Instant.ts"
import { type Message, sendTime, Strategy } from "../../../src/domain/message/Message.ts"
import { type Lane, lanes, type MessageTransition } from "../../../src/domain/message/MessageLanes.ts"
import {
  awaitAccount,
  beginAttempt,
  type Call,
  decideMessage,
  type LaneTurn,
  type MessageAction,
  recordOutcome
} from "../../../src/domain/message/MessageMachine.ts"
import type { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { created, outcomes, START } from "./MessageExamples.ts"

/** The fixed facts of a message, and of the processes that send it. */
const Setting = Schema.Struct({
  strategy: Strategy,
  steps: Schema.Literals([1, 2, 3, 4, 5, 6]),
  scheduledInMillis: Schema.NullOr(Schema.Literals([1, 60_000, 30 * 86_400_000])),
  patienceMillis: Schema.Literals([900_000, 900_000, 900_000, 10_000, 1_000, 0]),
  /** Without luck no provider accepts anything. */
  luck: Schema.Literals([true, true, false])
})
export type Setting = typeof Setting.Type
export const setting = Arbitrary.schema(Setting)

const laneNumbers = [0, 1, 2, 3, 4, 5] as const

/** One thing that befalls a message. */
const Happening = Schema.Struct({
  kind: Schema.Literals([
    // a lane goes on: the call under way in it is answered, or else its timer runs
    "turn",
    "turn",
    "turn",
    "turn",
    "turn",
    "turn",
    "turn",
    // the process that called a provider never came back, and the lane's timer runs again
    "lapse",
    // a call that was recorded, or written off, is reported once more, also during the next one over the same step
    "late",
    // a process with an old record begins any step in any lane, or finds no free account
    "stray begin",
    "stray wait",
    // a lane's timer is looked at before it is due
    "early"
  ]),
  lane: Schema.Literals(laneNumbers),
  step: Schema.Literals([0, 1, 2, 3, 4, 5]),
  outcome: Schema.Literals([
    "Accepted",
    "Accepted",
    "Accepted",
    "Rejected",
    "Throttled",
    "Unavailable",
    "Unavailable",
    "Unknown"
  ]),
  /** Which of the accounts that come into question may send. */
  free: Schema.Literals(["first", "first", "first", "first", "last", "none"]),
  freeInMillis: Schema.Literals([
    -5_000, 0, 1, 49, 50, 51, 700, 10_000, 600_000, 899_999, 900_000, 5_000_000
  ]),
  lateMillis: Schema.Literals([0, 0, 0, 0, 0, 0, 1, 4_999, 5_000, 5_001, 60_000, 1_000_000]),
  callMillis: Schema.Literals([0, 35, 9_999])
})
export type Happening = typeof Happening.Type

export const happenings = Arbitrary.array(Arbitrary.schema(Happening), { minLength: 1, maxLength: 60 })

/** Lists are as long as this allows, later ones longer. */
export const SIZE = 60

/** The acts on a message. */
export type Deed =
  | { readonly _tag: "Begin"; readonly step: number }
  | { readonly _tag: "Record"; readonly call: Call; readonly outcome: ProviderOutcome }
  | { readonly _tag: "Wait"; readonly freeAt: Instant }

/** The effect of one happening. */
export interface Entry {
  readonly kind: Happening["kind"]
  readonly before: Message
  readonly after: Message
  /** The machine's decision, when it was asked. */
  readonly action: MessageAction | null
  readonly deed: Deed | null
  readonly transition: MessageTransition | null
  readonly turn: LaneTurn
}

interface World {
  message: Message
  now: Instant
  /** When each lane's timer is due; none when the lane is done. */
  readonly due: Map<Lane, Instant>
  /** Calls under way, by lane. */
  readonly calls: Map<Lane, { readonly call: Call; readonly at: Instant }>
  /** Calls that were recorded, or written off. */
  readonly past: Array<Call>
  readonly settings: Setting
}

const outcomeOf = ({ outcome }: Happening, { luck }: Setting): ProviderOutcome =>
  outcomes[!luck && outcome === "Accepted" ? "Unavailable" : outcome]

const turnOf = ({ due, now, settings }: World, kind: Entry["kind"], lane: Lane): LaneTurn => ({
  lane,
  dueAt: kind === "lapse" ? null : (due.get(lane) ?? now),
  now,
  patienceMillis: settings.patienceMillis
})

const carryOut = (message: Message, turn: LaneTurn, deed: Deed): MessageTransition => {
  switch (deed._tag) {
    case "Begin":
      return beginAttempt(message, deed.step, turn)
    case "Record":
      return recordOutcome(message, deed.call, deed.outcome, turn.now)
    case "Wait":
      return awaitAccount(message, deed.freeAt, turn)
  }
}

/** Does it, and keeps what follows for the lane's timer and its call. */
const perform = (
  world: World,
  kind: Entry["kind"],
  lane: Lane,
  action: MessageAction | null,
  deed: Deed | null
): Entry => {
  const before = world.message
  const turn = turnOf(world, kind, lane)
  if (deed === null) return { kind, before, after: before, action, deed, transition: null, turn }
  const transition = carryOut(before, turn, deed)
  const { next: after, dueAt } = transition
  if (after !== before) {
    world.message = after
    if (deed._tag === "Begin") {
      const tries = world.past.filter(({ step }) => step === deed.step).length + 1
      world.calls.set(lane, { call: { step: deed.step, tries }, at: world.now })
    }
    if (deed._tag === "Record") {
      world.calls.delete(lane)
      world.past.push(deed.call)
    }
    if (dueAt === null) world.due.delete(lane)
    else if (dueAt !== "held") world.due.set(lane, dueAt)
  }
  return { kind, before, after, action, deed, transition, turn }
}

const deedFor = (action: MessageAction, happening: Happening, now: Instant): Deed | null => {
  switch (action._tag) {
    case "Send": {
      const { candidates } = action
      const step = happening.free === "last" ? (candidates.at(-1) ?? candidates[0]) : candidates[0]
      return happening.free === "none"
        ? { _tag: "Wait", freeAt: now + happening.freeInMillis }
        : { _tag: "Begin", step }
    }
    case "Abandon":
      return { _tag: "Record", call: action.call, outcome: outcomes.Unknown }
    default:
      return null
  }
}

const runTimer = (world: World, happening: Happening, lane: Lane): Entry => {
  world.now = Math.max(world.now, world.due.get(lane) ?? 0) + happening.lateMillis
  const action = decideMessage(world.message, lane, world.now)
  return perform(world, happening.kind, lane, action, deedFor(action, happening, world.now))
}

const goOn = (world: World, happening: Happening, lane: Lane): Entry => {
  const begun = world.calls.get(lane)
  if (begun === undefined || happening.kind === "lapse") return runTimer(world, happening, lane)
  world.now = Math.max(world.now, begun.at + happening.callMillis)
  const outcome = outcomeOf(happening, world.settings)
  return perform(world, happening.kind, lane, null, { _tag: "Record", call: begun.call, outcome })
}

const play = (world: World, happening: Happening): Entry => {
  const { kind } = happening
  const all = lanes(world.message)
  const open = [...world.due.keys()].sort((a, b) => a - b)
  const anyLane = all[happening.lane % all.length] ?? 0
  const openLane = open[happening.lane % open.length] ?? anyLane
  const step = happening.step % world.message.route.length
  switch (kind) {
    case "turn":
    case "lapse":
      return goOn(world, happening, openLane)
    case "late": {
      const call = world.past[(happening.lane * 6 + happening.step) % world.past.length]
      const outcome = outcomeOf(happening, world.settings)
      return perform(
        world,
        kind,
        anyLane,
        null,
        call === undefined ? null : { _tag: "Record", call, outcome }
      )
    }
    case "stray begin":
      return perform(world, kind, anyLane, null, { _tag: "Begin", step })
    case "stray wait":
      return perform(world, kind, anyLane, null, { _tag: "Wait", freeAt: world.now + happening.freeInMillis })
    case "early": {
      const due = world.due.get(openLane) ?? world.now
      world.now += Math.max(0, Math.floor((due - world.now) / 2))
      return perform(world, kind, openLane, decideMessage(world.message, openLane, world.now), null)
    }
  }
}

const begin = (settings: Setting, message = created(settings)): World => {
  const due = new Map(lanes(message).map((lane) => [lane, sendTime(message)]))
  return { message, now: START, due, calls: new Map(), past: [], settings }
}

/** A life: each happening follows from what the earlier ones left. */
export const live = (
  settings: Setting,
  list: ReadonlyArray<Happening>,
  message = created(settings)
): ReadonlyArray<Entry> => {
  const world = begin(settings, message)
  return list.map((happening) => play(world, happening))
}

/** The place, among the open lanes, of the one where something happens next. */
const nextLane = ({ due, calls, now }: World): Happening["lane"] => {
  const times = [...due].sort(([a], [b]) => a - b).map(([lane, at]) => (calls.has(lane) ? now : at))
  const index = times.indexOf(Math.min(...times))
  return laneNumbers.find((lane) => lane === index) ?? 0
}

/** A life that goes on with the same happening, wherever it is due, until no lane is left, or for very long. */
export const liveOn = (
  settings: Setting,
  list: ReadonlyArray<Happening>,
  last: Omit<Happening, "lane">
): ReadonlyArray<Entry> => {
  const world = begin(settings)
  const entries = list.map((happening) => play(world, happening))
  while (world.due.size > 0 && entries.length < 10_000)
    entries.push(play(world, { ...last, lane: nextLane(world) }))
  return entries
}

export const isOver = ({ status }: Message): boolean =>
  status === "sent" || status === "failed" || status === "partial_failed"

/** When patience ends, also where the message does not say so because that was at its first look. */
export const patienceEnd = (message: Message, { patienceMillis }: LaneTurn): Instant =>
  message.patientUntil ?? sendTime(message) + patienceMillis

/** The entries that changed the message by beginning an attempt. */
export const begins = (entries: ReadonlyArray<Entry>) =>
  entries.flatMap(({ deed, after, before, turn }, index) =>
    deed?._tag === "Begin" && after !== before ? [{ index, step: deed.step, turn, before, after }] : []
  )
