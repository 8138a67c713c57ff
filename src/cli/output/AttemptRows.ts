import type { ChannelDescriptor } from "../../domain/routing/Channel.ts"

interface Attempt {
  readonly sequence: number
  readonly channel: ChannelDescriptor
  readonly status: string
  readonly error_code: string | null
  readonly provider_error: string | null
  readonly delivery: { readonly status: string } | null
}

/** As `channels` of a request names it; the provider of an SMS or a call too. */
export const channelName = ({ type, provider }: ChannelDescriptor): string =>
  type === "messenger" ? provider : `${type} (${provider})`

/** What attempts of codes and messages have in common; `times` are those of the one kind. */
export const attemptRow = <Times extends object>(
  { sequence, channel, status, error_code, provider_error, delivery }: Attempt,
  times: Times
) => ({
  sequence,
  channel: channelName(channel),
  account: channel.label,
  status,
  ...times,
  error_code,
  provider_error,
  delivery: delivery?.status ?? null
})
