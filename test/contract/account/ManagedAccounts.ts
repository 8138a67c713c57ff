import type { List } from "../ManagedCustomer.ts"
import type { Account, Fields, Manager } from "../ManagedSetUp.ts"

/** A token that its platform does not know. */
export const SECRET = "3000000003:NobodysTelegramToken_0123456789abcdefg"

export const bot = (fields: Fields = {}) => ({
  channel: "telegram",
  provider: "telegram_bot",
  label: "Our bot",
  settings: { token: SECRET },
  ...fields
})

export const simulatorAccount = (fields: Fields = {}) => ({
  channel: "bale",
  provider: "simulator",
  label: "A bale",
  settings: {},
  ...fields
})

/** All accounts of a customer with fewer than a hundred. */
export const accountsOf = async (of: Manager) => (await of.read<List<Account>>("/accounts?limit=100")).data
