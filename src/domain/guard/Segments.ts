import { Schema } from "effect"
import { widerNetworks } from "../people/Networks.ts"
import type { Phone } from "../Phone.ts"
import type { Whole } from "./Mark.ts"

/** Codes with something in common. A customer's codes are one segment; the others are parts of it. */
export const SegmentKind = Schema.Literals(["customer", "network", "prefix", "device", "phone"])
export type SegmentKind = typeof SegmentKind.Type

export interface Segment {
  readonly kind: SegmentKind
  /** Empty for the customer; a keyed hash for networks and devices; a number without its last four digits. */
  readonly key: string
}

export const segmentName = ({ kind, key }: Segment): string => `${kind}:${key}`

/** The name of a segment among those of all customers. */
export const nameIn = (customerId: number, segment: Segment): string =>
  `${customerId}:${segmentName(segment)}`

export const CUSTOMER_SEGMENT: Segment = { kind: "customer", key: "" }

/** The customer's budgets. Only the first is a segment for alarms too. */
export const WHOLE: Readonly<Record<Whole, Segment>> = {
  all: CUSTOMER_SEGMENT,
  common: { kind: "customer", key: "common" },
  known: { kind: "customer", key: "known" },
  vouched: { kind: "customer", key: "vouched" }
}

/** The client that asks for a code, in keyed hashes. */
export interface ClientTraces {
  readonly network: string | null
  readonly device: string | null
}

export const NO_TRACES: ClientTraces = { network: null, device: null }

const HIDDEN_DIGITS = 4

export const prefixOf = (phone: Phone | string): string => phone.slice(0, -HIDDEN_DIGITS)

const AROUND = "around:"

/**
 * The /56 and the /48 around a /64, the narrower first. Their codes count as a segment's only if several /64s without a
 * verified code are behind them: a mobile operator's /48 is many people.
 */
const aroundOf = (network: string): ReadonlyArray<Segment> =>
  widerNetworks(network).map((wider) => ({ kind: "network", key: AROUND + wider }) as const)

export const isAround = ({ key }: Segment): boolean => key.startsWith(AROUND)

/** So many /64s without a verified code make a /56 or /48 a segment. */
export const ENOUGH_NETWORKS = 3

/** The segments of a code; the customer comes first. */
export const segmentsOf = (
  prefix: string,
  { network, device }: ClientTraces
): readonly [customer: Segment, ...parts: ReadonlyArray<Segment>] => [
  CUSTOMER_SEGMENT,
  { kind: "prefix", key: prefix },
  ...(network === null ? [] : [{ kind: "network", key: network } as const]),
  ...(device === null ? [] : [{ kind: "device", key: device } as const]),
  ...(network === null ? [] : aroundOf(network))
]

/**
 * The segments whose budgets a code took from. A known network has verified codes, so its /56 and /48 do not count: what
 * passes as known is bounded by the customer's budget for such codes.
 */
export const segmentsTaken = (whole: Whole, prefix: string, traces: ClientTraces): ReadonlyArray<Segment> => {
  const [, ...parts] = segmentsOf(prefix, traces)
  const isKnown = whole === "known" || whole === "vouched"
  return [WHOLE[whole], ...parts.filter((part) => !isKnown || !isAround(part))]
}
