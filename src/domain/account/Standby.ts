import type { SendingAccount } from "../customer/Customer.ts"
import { problem, type Problem } from "../Problem.ts"

/** The most accounts that stand by for one. */
export const MAX_STANDBY = 5

/** As much of an account as standing by depends on. */
export type StandbyAccount = Pick<SendingAccount, "id" | "channel" | "sendsCodes" | "standby">

/** The ids of those that stand by for an account, each followed by those that stand by for it. */
const idsBehind = (
  id: number,
  standbyOf: (id: number) => ReadonlyArray<number>,
  seen = new Set<number>()
): ReadonlySet<number> => {
  for (const next of standbyOf(id)) {
    if (seen.has(next)) continue
    seen.add(next)
    idsBehind(next, standbyOf, seen)
  }
  return seen
}

/** The accounts that can take over for this one with a code, in order. */
export const standbyAccounts = (
  account: SendingAccount,
  accounts: ReadonlyArray<SendingAccount>
): ReadonlyArray<SendingAccount> => {
  if (account.standby === undefined || account.standby.length === 0) return []
  const byId = new Map(accounts.map((each) => [each.id, each]))
  const ids = idsBehind(account.id, (id) => byId.get(id)?.standby ?? [])
  return [...ids]
    .filter((id) => id !== account.id)
    .flatMap((id) => byId.get(id) ?? [])
    .filter(({ active, sendsCodes, channel }) => active && sendsCodes && channel === account.channel)
    .slice(0, MAX_STANDBY)
}

/**
 * Why these accounts cannot stand by for this one; null if they can.
 *
 * @param accounts all accounts of the same owner
 */
export const standbyProblem = (
  account: StandbyAccount,
  wanted: ReadonlyArray<number>,
  accounts: ReadonlyArray<StandbyAccount>
): Problem | null => {
  const byId = new Map(accounts.map((each) => [each.id, each]))
  if (new Set(wanted).size < wanted.length) return problem("account_twice")
  for (const id of wanted) {
    const standby = byId.get(id)
    if (standby === undefined) return problem("account_unknown", { account: id })
    if (standby.channel !== account.channel) {
      return problem("account_on_channel", { account: id, channel: standby.channel })
    }
    if (!standby.sendsCodes) return problem("account_sends_no_codes", { account: id })
  }
  const standbyOf = (id: number) => (id === account.id ? wanted : (byId.get(id)?.standby ?? []))
  return idsBehind(account.id, standbyOf).has(account.id)
    ? problem("account_stands_by_itself", { account: account.id })
    : null
}
