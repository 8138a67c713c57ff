import { HOUR_MILLIS, type Instant } from "../../Instant.ts"
import { expectedConversion, leastUsual, usualInHour } from "../Conversion.ts"
import type { CustomerState } from "./CustomerState.ts"
import { isFlooding } from "./Knocks.ts"
import type { MaturedCode } from "./MaturedCode.ts"
import { addRecent, type Outage, outageOf } from "./Outage.ts"

const MAX_CHANNEL_CODES = 2000

export const learnChannel = (
  channels: CustomerState["channels"],
  { channel, isVerified, weight }: MaturedCode
): CustomerState["channels"] => {
  const [codes, verified] = channels[channel] ?? [0, 0]
  const keep = codes >= MAX_CHANNEL_CODES ? 0.5 : 1
  return { ...channels, [channel]: [codes * keep + weight, verified * keep + (isVerified ? weight : 0)] }
}

/** A channel's own conversion: the last channel of a route is verified less often than the first. */
const channelConversion = (customer: CustomerState, channel: string, expected: number): number => {
  const [codes, verified] = customer.channels[channel] ?? [0, 0]
  const weight = 10
  return (verified + weight * expected) / (codes + weight)
}

/**
 * Traffic changes within the hours that are looked at: the most codes of two, and the fewest that are certain to be
 * verified. With a day or two to learn from, chance would make few verified codes look like an outage.
 */
const usualOf = ({ self }: CustomerState, at: Instant, conversion: number): CustomerState["usual"] => {
  const hours = [usualInHour(self.profile, at), usualInHour(self.profile, at - HOUR_MILLIS)]
  const codesPerHour = Math.max(...hours.map(({ perHour }) => perHour))
  return {
    codesPerHour,
    conversion: codesPerHour === 0 ? 0 : (conversion * Math.min(...hours.map(leastUsual))) / codesPerHour
  }
}

/** What a round knows about all customers. */
export interface PlatformTraffic {
  /** The conversion over all customers. */
  readonly platform: number
  /** A channel is out for others. */
  readonly platformOutage: Outage | null
}

/** The customer after the code of a channel that may be out. */
export const observed = (
  customer: CustomerState,
  { platform, platformOutage }: PlatformTraffic,
  code: MaturedCode
): CustomerState => {
  const { sentAt, maturedAt, channel, isVerified, weight } = code
  const conversion = expectedConversion(platform, [customer.self.profile], sentAt)
  const usual = usualOf(customer, sentAt, conversion)
  const expected = channelConversion(customer, channel, conversion)
  const recent = addRecent(customer.recent, maturedAt, { channel, expected, isVerified, weight })
  const next = { ...customer, usual, recent }
  // An outage refuses nobody, and does not make users ask so often: its own, or that of the platform.
  if (isFlooding(customer.knocks, usual.codesPerHour)) return { ...next, outage: null }
  return { ...next, outage: outageOf(customer.outage, recent, usual, maturedAt, platformOutage) }
}
