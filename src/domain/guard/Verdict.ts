import { Schema } from "effect"
import { DAY_MILLIS, HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../Instant.ts"
import type { Phone } from "../Phone.ts"
import type { Alarm } from "./Alarm.ts"
import type { GuardEntry, GuardSettings } from "./GuardSettings.ts"
import {
  type ClientTraces,
  type Flag,
  prefixOf,
  type Segment,
  type SegmentKind,
  segmentName,
  segmentsOf
} from "./Segments.ts"

/** The effect of an alarm on a segment's codes, if the customer enforces. */
export const GuardAction = Schema.Literals(["no_sms", "refuse"])
export type GuardAction = typeof GuardAction.Type

const FIRST_BLOCK_MILLIS = 5 * MINUTE_MILLIS
const LONGEST_BLOCK_MILLIS = 12 * HOUR_MILLIS

/** How long an alarm of this level lasts: 5 minutes, doubling to 12 hours. */
export const blockMillis = (level: number): number =>
  Math.min(LONGEST_BLOCK_MILLIS, FIRST_BLOCK_MILLIS * 2 ** (level - 1))

/** The first alarm of a segment leaves messengers, the next ones refuse. */
export const actionOf = (level: number): GuardAction => (level === 1 ? "no_sms" : "refuse")

/** The level of a segment's next alarm: one higher than the last, one lower for each quiet day. */
export const nextLevel = (last: { readonly level: number; readonly at: Instant }, now: Instant): number =>
  Math.max(1, last.level + 1 - Math.floor((now - last.at) / DAY_MILLIS))

/** An open alarm, as it decides on codes. */
export type OpenAlarm = Pick<Alarm, "kind" | "key" | "reason" | "action" | "startedAt" | "until">

/** A customer's part of the set-up that the guard decides by. */
export interface GuardSetUp extends GuardSettings {
  readonly entries: ReadonlyArray<GuardEntry>
  readonly alarms: ReadonlyArray<OpenAlarm>
}

/** A phone that a customer verified so recently is proven: the guard lets its codes pass. */
export const PROVEN_MILLIS = 90 * DAY_MILLIS

export type Verdict =
  /** By the deny list. */
  | { readonly _tag: "Denied" }
  /** By the allow list, or because the customer trusts the client. */
  | { readonly _tag: "Exempt" }
  /** `action`: what open alarms say; null: nothing. */
  | {
      readonly _tag: "Judged"
      readonly action: GuardAction | null
      readonly segments: ReadonlyArray<Segment>
      /** The open alarms of its segments that have an action. */
      readonly alarmed: ReadonlyArray<OpenAlarm>
      /** The same, whatever an outage says of them. */
      readonly suspicious: ReadonlyArray<OpenAlarm>
      /** A channel is out: alarms and budgets wait, but for what was attacked long before. */
      readonly isOutage: boolean
      /** The segments whose budgets count. */
      readonly counted: ReadonlyArray<Segment>
    }

interface Lists {
  readonly phones: ReadonlySet<string>
  readonly prefixes: ReadonlyArray<string>
  readonly networks: ReadonlyArray<string>
}

interface Indexed {
  /** null: it is empty. */
  readonly allow: Lists | null
  readonly deny: Lists | null
  readonly alarms: ReadonlyMap<string, OpenAlarm>
  readonly outage: OpenAlarm | undefined
}

/** The set-up is cached between its changes, and so is what it means. */
const indexed = new WeakMap<GuardSetUp, Indexed>()

const listsOf = (entries: ReadonlyArray<GuardEntry>, name: GuardEntry["list"]): Lists | null => {
  const listed = entries.filter(({ list }) => list === name)
  if (listed.length === 0) return null
  const values = (type: GuardEntry["type"]) =>
    listed.filter((entry) => entry.type === type).map(({ value }) => value)
  return { phones: new Set(values("phone")), prefixes: values("prefix"), networks: values("ip") }
}

const indexOf = (setUp: GuardSetUp): Indexed => {
  const known = indexed.get(setUp)
  if (known !== undefined) return known
  const made: Indexed = {
    allow: listsOf(setUp.entries, "allow"),
    deny: listsOf(setUp.entries, "deny"),
    alarms: new Map(
      setUp.alarms.filter(({ reason }) => reason === "unverified").map((alarm) => [segmentName(alarm), alarm])
    ),
    outage: setUp.alarms.find(({ reason }) => reason === "outage")
  }
  indexed.set(setUp, made)
  return made
}

/** A code that is about to be sent. */
export interface RequestedCode {
  readonly phone: Phone
  readonly ip: string | null
  readonly isTrusted: boolean
  readonly traces: ClientTraces
}

/** Whether an address is in one of the networks. */
type IsInNetworks = (ip: string | null, networks: ReadonlyArray<string>) => boolean

const isOn = (lists: Lists | null, { phone, ip }: RequestedCode, isInNetworks: IsInNetworks): boolean =>
  lists !== null &&
  // A phone is a new string in each request, and its hash costs more than all else here.
  ((lists.phones.size > 0 && lists.phones.has(phone)) ||
    lists.prefixes.some((prefix) => phone.startsWith(prefix)) ||
    (lists.networks.length > 0 && isInNetworks(ip, lists.networks)))

/** The open alarms of these segments. */
const openIn = (
  alarms: ReadonlyMap<string, OpenAlarm>,
  segments: ReadonlyArray<Segment>,
  now: Instant
): ReadonlyArray<OpenAlarm> =>
  alarms.size === 0
    ? NO_ALARMS
    : segments.flatMap((segment) => {
        const alarm = alarms.get(segmentName(segment))
        return alarm !== undefined && alarm.until > now && alarm.action !== null ? [alarm] : []
      })

/** An outage is recognized sooner than that: an older alarm does not come from it. */
const RECOGNIZED_MILLIS = 10 * MINUTE_MILLIS

/** Whether a part of the customer's codes was attacked before an outage began: the outage is no way out for the attacker. */
const isHeldInOutage = (
  { kind, reason, startedAt }: Pick<OpenAlarm, "kind" | "reason" | "startedAt">,
  outageStartedAt: Instant
): boolean =>
  kind !== "customer" &&
  (reason === "unverified" || reason === "budget") &&
  startedAt <= outageStartedAt - RECOGNIZED_MILLIS

/** The alarms whose time is over. In an outage, those of segments that were attacked before it stay open. */
export const endedAlarms = <A extends OpenAlarm>(
  alarms: ReadonlyArray<A>,
  isOutage: boolean,
  now: Instant
): ReadonlyArray<A> => {
  const outage = isOutage ? alarms.find(({ reason }) => reason === "outage") : undefined
  return alarms.filter(
    (alarm) =>
      alarm.reason !== "outage" &&
      alarm.until <= now &&
      (outage === undefined || !isHeldInOutage(alarm, outage.startedAt))
  )
}

/** The segments of a code that an outage does not exempt. After the end of its block, such a segment is on probation. */
const attackedBefore = (
  outage: OpenAlarm,
  alarms: ReadonlyArray<OpenAlarm>,
  segments: ReadonlyArray<Segment>
): ReadonlyArray<Segment> => {
  const held = new Set(alarms.filter((alarm) => isHeldInOutage(alarm, outage.startedAt)).map(segmentName))
  return segments.filter((segment) => held.has(segmentName(segment)))
}

const NO_ALARMS: ReadonlyArray<OpenAlarm> = []

/** What open alarms say together. */
export const strongest = (alarms: ReadonlyArray<OpenAlarm>): GuardAction | null =>
  alarms.some(({ action }) => action === "refuse") ? "refuse" : (alarms[0]?.action ?? null)

/** The verdict of the set-up on a code. The deny list comes first. */
export const verdictOf = (
  setUp: GuardSetUp,
  code: RequestedCode,
  isInNetworks: IsInNetworks,
  now: Instant
): Verdict => {
  const { allow, deny, alarms, outage } = indexOf(setUp)
  if (isOn(deny, code, isInNetworks)) return { _tag: "Denied" }
  if (code.isTrusted || isOn(allow, code, isInNetworks)) return { _tag: "Exempt" }
  const segments = segmentsOf(prefixOf(code.phone), code.traces)
  const counted = outage === undefined ? segments : attackedBefore(outage, setUp.alarms, segments)
  const alarmed = openIn(alarms, counted, now)
  const isOutage = outage !== undefined
  const suspicious = isOutage ? openIn(alarms, segments, now) : alarmed
  return { _tag: "Judged", action: strongest(alarmed), segments, alarmed, suspicious, isOutage, counted }
}

/** The flags of codes to which enforcing would have done something. */
export const RECORDED_FLAGS = ["no_sms", "no_sms_common", "refuse"] as const satisfies ReadonlyArray<Flag>

/** The flag of a code to which enforcing would have done this. It passes all the same. */
export const recordedFlag = (action: GuardAction | null, flag: Flag | null): Flag | null =>
  action === "no_sms" && flag === "common" ? "no_sms_common" : (action ?? flag)

/** What enforcing would have done to a code with this flag; null: nothing. */
export const actionRecorded = (flag: Flag | null): GuardAction | null => {
  if (flag === "no_sms_common") return "no_sms"
  return flag === "no_sms" || flag === "refuse" ? flag : null
}

/**
 * Why a code that was sent looks risky to the customer that sent it. Each reason comes from that customer's own codes:
 * what other customers know of a network or a phone never shows here, nor an outage that others have.
 */
export const RiskReason = Schema.Literals([
  // An alarm of the guard is open: too few codes of this part were verified.
  "network_conversion_low",
  "device_conversion_low",
  "range_conversion_low",
  "customer_conversion_low",
  // The budget of unverified codes in an hour is used up.
  "network_budget_used",
  "device_budget_used",
  "range_budget_used",
  "customer_budget_used",
  // The third code to the phone within an hour, or a later one.
  "phone_retries"
])
export type RiskReason = typeof RiskReason.Type

export const RiskLevel = Schema.Literals(["low", "medium", "high"])
export type RiskLevel = typeof RiskLevel.Type

export interface Risk {
  readonly level: RiskLevel
  readonly reasons: ReadonlyArray<RiskReason>
}

const NO_REASONS: ReadonlyArray<RiskReason> = []
const NO_RISK: Risk = { level: "low", reasons: NO_REASONS }

/** From this many earlier codes to a phone within an hour on, their number is a risk. */
const USUAL_EARLIER_CODES = 2

const parts = { network: "network", device: "device", prefix: "range", customer: "customer" } as const

const partsOf = (segments: ReadonlyArray<{ readonly kind: SegmentKind }>) =>
  new Set(segments.flatMap(({ kind }) => (kind === "phone" ? [] : [parts[kind]])))

/** The signs of abuse that the guard can see when it accepts a code. */
interface Signs {
  /** Segments with an open alarm of this customer's guard. */
  readonly alarmed: ReadonlyArray<Pick<Segment, "kind">>
  /** Segments whose budget is used up. */
  readonly spent: ReadonlyArray<Segment>
  /** This customer's earlier codes to the phone within the hour. */
  readonly earlierCodes: number
}

/** Nearly every code has none. */
export const riskReasons = ({ alarmed, spent, earlierCodes }: Signs): ReadonlyArray<RiskReason> =>
  alarmed.length === 0 && spent.length === 0 && earlierCodes < USUAL_EARLIER_CODES
    ? NO_REASONS
    : [
        ...[...partsOf(alarmed)].map((part) => `${part}_conversion_low` as const),
        ...[...partsOf(spent)].map((part) => `${part}_budget_used` as const),
        ...(earlierCodes < USUAL_EARLIER_CODES ? [] : ["phone_retries" as const])
      ]

const isOfMany = (reason: RiskReason): boolean =>
  reason === "phone_retries" || reason === "customer_conversion_low" || reason === "customer_budget_used"

/** High: what the code has in common with few others is suspicious. Medium: only its phone, or the customer as a whole. */
export const riskOf = (reasons: ReadonlyArray<RiskReason>): Risk =>
  reasons.length === 0 ? NO_RISK : { level: reasons.every(isOfMany) ? "medium" : "high", reasons }

/** As it is stored with a code, for replays; null: no reason. */
export const storedReasons = (reasons: ReadonlyArray<RiskReason>): string | null =>
  reasons.length === 0 ? null : reasons.join(" ")

const isReason = Schema.is(RiskReason)

export const readReasons = (stored: string | null): ReadonlyArray<RiskReason> =>
  stored === null ? NO_REASONS : stored.split(" ").filter(isReason)
