import { Array as Arr } from "effect"
import type { StepOrder } from "../../people/Customer.ts"
import type { Channel } from "../Channel.ts"
import type { Route, RouteStep } from "../Route.ts"
import { type ChannelRecord, measuredWait } from "./ChannelRecord.ts"
import {
  type Known,
  type Measured,
  type MeasuredOrder,
  measuredOrder,
  operatorPrefix
} from "./MeasuredOrder.ts"

/** What the processes know of a customer's channels. */
export interface RouteKnowledge extends Known {
  /** Accounts that cool down. */
  readonly cooling: ReadonlySet<number>
}

export interface MeasuredCode {
  readonly phone: string
  readonly id: string
  readonly order: StepOrder
  /** What one SMS costs the customer; null: more than any messenger. */
  readonly smsPrice: number | null
}

/** A step and those that stand by for it: they move together. */
type Group = Arr.NonEmptyReadonlyArray<RouteStep>

const groupsOf = (route: Route): ReadonlyArray<Group> => {
  const groups: Array<[RouteStep, ...Array<RouteStep>]> = []
  for (const step of route) {
    if (step.standby === true) groups.at(-1)?.push(step)
    else groups.push([step])
  }
  return groups
}

const costOf = ({ channel, price = 0 }: RouteStep, route: Route, smsPrice: number | null): number =>
  channel === "sms" ? (smsPrice ?? 1 + Math.max(...route.map((step) => step.price ?? 0))) : price

const share = (value: number): number => Math.round(value * 1000) / 1000

/** The step with the counts by which it has its place. */
const explained = (
  step: RouteStep,
  { conversion, codes, verified }: Measured,
  isExplored: boolean
): RouteStep => ({
  ...step,
  measured: {
    conversion: share(conversion),
    codes: Math.round(codes),
    verified: Math.round(verified),
    ...(isExplored && { explored: true as const })
  }
})

const withWait = (step: RouteStep, records: Readonly<Partial<Record<Channel, ChannelRecord>>>): RouteStep => {
  const record = records[step.channel]
  if (step.waitsMeasured !== true || record === undefined) return step
  return { ...step, wait: measuredWait(record) ?? step.wait }
}

const permuted = (
  groups: ReadonlyArray<Group>,
  { steps, isExplored }: MeasuredOrder
): ReadonlyArray<RouteStep> =>
  steps.flatMap((place, index) => {
    const [first, ...standby] = groups.find(([{ channel }]) => channel === place.channel) ?? []
    return first === undefined ? [] : [explained(first, place, isExplored && index === 0), ...standby]
  })

/** The route of one code by what was measured: the order of its steps, and their waits, where the customer wants that. */
export const measuredRoute = (route: Route, knowledge: RouteKnowledge, code: MeasuredCode): Route => {
  const { cooling, records } = knowledge
  const [first, ...rest] = route
  const timed: Route = [withWait(first, records), ...rest.map((step) => withWait(step, records))]
  if (code.order === "saved") return timed
  const groups = groupsOf(timed)
  const candidates = groups.map(([step, ...standby]) => ({
    channel: step.channel,
    cost: costOf(step, route, code.smsPrice),
    isCooling: [step, ...standby].every(({ account_id }) => account_id !== null && cooling.has(account_id))
  }))
  const order = measuredOrder(knowledge, candidates, { prefix: operatorPrefix(code.phone), id: code.id })
  const ordered = permuted(groups, order)
  return Arr.isReadonlyArrayNonEmpty(ordered) ? ordered : timed
}
