import type { AccountState } from "../../../../../domain/account/AccountState.ts"
import type { Instant } from "../../../../../domain/Instant.ts"
import type { AccountRecord } from "../../../../../services/account/Accounts.ts"
import type { Locale } from "../../../frame/Locale.ts"
import type { Column } from "../../../parts/lists/Table.ts"
import { channelName } from "../../../parts/Text.ts"
import { accountState, lastCheck, minuteOf, sendsWords } from "./AccountWords.ts"

/** What lists of accounts show of each, behind its name. */
export const stateColumns = (
  states: ReadonlyMap<number, AccountState>,
  now: Instant,
  locale: Locale
): ReadonlyArray<Column<AccountRecord>> => {
  const { say } = locale
  return [
    { header: say("Channel", "کانال"), cell: ({ channel }) => channelName(channel, locale) },
    {
      header: say("State", "وضعیت"),
      cell: (account) => accountState(account, states.get(account.id), now, locale)
    },
    { header: say("Sends", "می‌فرستد"), cell: (account) => sendsWords(account, locale) },
    {
      header: say("This minute", "این دقیقه"),
      kind: "number",
      cell: ({ id }) => minuteOf(states.get(id), locale)
    },
    {
      header: say("Last check", "آخرین بررسی"),
      cell: ({ id }) => lastCheck(states.get(id)?.lastCheck ?? null, locale)
    }
  ]
}
