import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Channel } from "../../src/domain/routing/Channel.ts"
import { connectionOf, sentBy } from "../../src/layers/account/AccountRows.ts"
import { MasterKey } from "../../src/layers/crypto/Crypto.ts"
import { AllowsPrivateAddresses } from "../../src/layers/network/CustomerUrls.ts"
import { timestamp } from "../../src/layers/postgres/SqlRows.ts"
import { sealSettings } from "../../src/layers/provider/ConnectedAccounts.ts"
import { ProviderAdapters } from "../../src/services/provider/ProviderAdapter.ts"

const provider = "simulator"
const settings = {}

/** What `connect` writes of an account of the simulator. */
const accountRow = Effect.fnUntraced(function* (customerId: number, channel: Channel) {
  const allowsPrivateAddresses = yield* AllowsPrivateAddresses
  const account = { channel, provider, settings, isDefault: true }
  const connection = connectionOf(yield* ProviderAdapters, customerId, account, allowsPrivateAddresses)
  const { traits } = yield* Effect.orDie(connection)
  const { sendsCodes, sendsTexts } = sentBy(account, traits)
  return {
    customer_id: customerId,
    channel,
    provider,
    label: channel,
    sealed_settings: sealSettings(yield* MasterKey, { customerId, channel, provider }, settings),
    is_default: true,
    sends_codes: sendsCodes,
    sends_texts: sendsTexts,
    deduplicates: traits.deduplicatesCodes,
    deduplicates_texts: traits.deduplicatesTexts,
    reports_delivery: traits.reportsDelivery,
    needs_contact: traits.needsContact,
    rests_by_kind: traits.cooldownByKind ?? false,
    allows_private_addresses: allowsPrivateAddresses,
    created_at: timestamp(yield* Clock.currentTimeMillis)
  }
})

/**
 * Gives a new customer a default account for each channel, and a route over them: the rows of the use cases, in one
 * statement instead of thirty. Most tests begin with it.
 */
export const insertSimulatorSetUp = Effect.fnUntraced(function* (
  customerId: number,
  channels: ReadonlyArray<Channel>
) {
  const sql = yield* SqlClient.SqlClient
  const [account, ...others] = yield* Effect.forEach(channels, (channel) => accountRow(customerId, channel))
  if (account === undefined) return
  // The route is for codes, which telegram does not carry without a gateway's account.
  const steps = channels.flatMap((channel) => (channel === "telegram" ? [] : [{ channel }]))
  const inserted = sql`
    with connected as (insert into sending_accounts ${sql.insert([account, ...others])}),
    routed as (
      insert into routing_orders (customer_id, steps, updated_at)
      select ${customerId}::int, ${JSON.stringify(steps)}::jsonb, ${account.created_at}::timestamptz
      where ${steps.length > 0}::boolean
      returning customer_id, version, steps, step_order, updated_at)
    insert into routing_versions (customer_id, version, steps, step_order, saved_at) select * from routed`
  yield* Effect.orDie(inserted)
})
