import type { ChannelDescriptor } from "../../domain/routing/Channel.ts"

interface Attempt {
  readonly sequence: number
  readonly channel: ChannelDescriptor
  readonly status: string
  readonly error_code: string | null
  readonly provider_error: string | null
  readonly delivery: { readonly status: string } | null
}

/** As `channels` of a request names it; the provider of an SMS too. */
export const channelName = ({ type, provider }: ChannelDescriptor): string =>
  type === "sms" ? `sms (${provider})` : provider

/** What attempts of codes and messages have in common. */
export const attemptRow = ({ sequence, channel, status, error_code, provider_error, delivery }: Attempt) => ({
  sequence,
  channel: channelName(channel),
  account: channel.label,
  status,
  error_code,
  provider_error,
  delivery: delivery?.status ?? null
})
