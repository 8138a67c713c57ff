import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { Channel } from "../../domain/routing/Channel.ts"
import type { ListName } from "../../http/wire/ManageWire.ts"
import { searchedPhone } from "../../http/wire/SearchFields.ts"
import { CommandError } from "../output/CommandError.ts"
import { customerFlag } from "./CustomerFlag.ts"
import { pageFlags, pageOf, timeFlag } from "../output/Pages.ts"

/** The filters that verifications and messages share. */
export const searchFlags = {
  customer: customerFlag,
  phone: Flag.String("phone").pipe(
    Flag.withAlias("to"),
    Flag.withDescription("Only to this phone, in any accepted form"),
    Flag.optional
  ),
  channel: Flag.Literals("channel", Channel.literals).pipe(
    Flag.withDescription("Only those that were tried over this channel"),
    Flag.optional
  ),
  createdAfter: timeFlag("created-after", "Only what was created then or later"),
  createdBefore: timeFlag("created-before", "Only what was created earlier"),
  ...pageFlags
}

interface Given {
  readonly phone: Option.Option<string>
  readonly channel: Option.Option<Channel>
  readonly createdAfter: Option.Option<number>
  readonly createdBefore: Option.Option<number>
  readonly limit: number
  readonly cursor: Option.Option<string>
}

export const searchOf = Effect.fnUntraced(function* (list: ListName, given: Given) {
  const phone = yield* Effect.mapError(
    searchedPhone(Option.getOrUndefined(given.phone)),
    () => new CommandError({ message: "--phone is not an Iranian mobile number" })
  )
  return {
    ...(yield* pageOf(list, given)),
    phone,
    channel: Option.getOrUndefined(given.channel),
    from: Option.getOrUndefined(given.createdAfter),
    to: Option.getOrUndefined(given.createdBefore)
  }
})
