import { Effect, Layer } from "effect"
import { timingSafeEqual } from "node:crypto"
import { BotAddresses } from "../../services/account/BotAddresses.ts"
import { INBOUND_PATH } from "../../http/system/InboundRoutes.ts"
import { type KeyPurpose, MasterKey } from "../crypto/MasterKey.ts"
import { ProviderEndpoints } from "../providers/ProviderEndpoints.ts"

type Inbox = Parameters<BotAddresses["Service"]["webhookOf"]>[0]

/** `7-<256 bits>`: impossible to guess, and nothing of it needs to be stored. */
const TOKEN = /^([1-9]\d{0,9})-[\w-]{43}$/

const isSame = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Addresses depend on the master secret; a higher generation gives an account another one. */
export const BotAddressesMac = Layer.effect(
  BotAddresses,
  Effect.gen(function* () {
    const key = yield* MasterKey
    const { publicUrl } = yield* ProviderEndpoints
    const mac = (purpose: KeyPurpose, { accountId, generation }: Inbox): string =>
      Buffer.from(key.mac(purpose, `${accountId}:${generation}`)).toString("base64url")
    const tokenOf = (inbox: Inbox): string => `${inbox.accountId}-${mac("inbox-address", inbox)}`
    const secretOf = (inbox: Inbox): string => mac("inbox-secret", inbox)
    const pathOf = (inbox: Inbox): string => `${INBOUND_PATH}/${tokenOf(inbox)}`
    return BotAddresses.of({
      pathOf,
      webhookOf: (inbox) =>
        publicUrl === null ? null : { url: `${publicUrl}${pathOf(inbox)}`, secret: secretOf(inbox) },
      accountOf: (token) => {
        const id = Number(TOKEN.exec(token)?.[1] ?? Number.NaN)
        return id <= 2_147_483_647 ? id : null
      },
      isGenuine: (inbox, token) => isSame(token, tokenOf(inbox)),
      isSecret: (inbox, given) => isSame(given, secretOf(inbox))
    })
  })
)
