import { Effect, Option, Redacted, Schema } from "effect"
import type { Channel } from "../../../domain/routing/Channel.ts"
import { Credential, ReceivesUpdates } from "../AccountSettings.ts"
import type { ProviderHttp } from "../ProviderHttp.ts"
import { adapter, connectionTo, rejected } from "./AdapterKit.ts"
import { type BotAccess, botCalls } from "./BotApiCalls.ts"
import { botInbox, type InboxTraits } from "./BotApiInbox.ts"
import type { Addressed, ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"
import type { TextDelivery } from "../../../services/provider/Providers.ts"

/** The differences between platforms with Telegram's bot API, or a clone of it. */
interface BotPlatform extends InboxTraits, Pick<BotAccess, "maxTextLength"> {
  readonly name: string
  readonly channel: Channel
  readonly sendsCodes: boolean
  readonly settings: Schema.Decoder<BotSettings>
}

interface BotSettings {
  readonly token: string
  readonly trust_contacts?: boolean
  readonly receives_updates?: boolean
}

export const BotToken = Schema.Struct({ token: Credential, ...ReceivesUpdates })

/** For platforms that may not show the owner of a shared contact. */
export const BotTokenAndTrust = Schema.Struct({
  ...BotToken.fields,
  trust_contacts: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether any shared contact counts as the sender's own; no by default."
  })
})

const noChat = Effect.succeed(rejected("recipient", "not sent: no chat with the recipient"))

const readMe = Schema.decodeUnknownOption(
  Schema.Struct({
    username: Schema.optionalKey(Schema.String),
    first_name: Schema.optionalKey(Schema.String),
    id: Schema.optionalKey(Schema.Union([Schema.Int, Schema.String]))
  })
)

const describeMe = (me: unknown): string =>
  Option.match(readMe(me), {
    onNone: () => "bot",
    onSome: ({ username, first_name, id }) =>
      `bot ${username ? `@${username}` : (first_name ?? id ?? "")}`.trim()
  })

/** A bot, which writes to people who contacted it; codes are texts. */
export const botAdapter = (
  platform: BotPlatform,
  http: ProviderHttp["Service"],
  baseUrl: string
): ProviderAdapter => {
  const { name, channel, settings, sendsCodes, maxTextLength } = platform
  return adapter(
    { name, channels: [channel], settings },
    ({ token, trust_contacts = false, receives_updates = true }) => {
      const calls = botCalls({ http, baseUrl, token, maxTextLength })
      const deliver = ({ chatId, text }: Addressed<TextDelivery>) =>
        chatId === null ? noChat : calls.sendMessage(chatId, Redacted.value(text))
      return connectionTo(baseUrl, {
        traits: { sendsCodes, needsContact: true },
        sendCode: deliver,
        sendText: deliver,
        check: Effect.map(calls.resultOf("getMe"), describeMe),
        inbox: receives_updates ? botInbox(calls, platform, trust_contacts) : null
      })
    }
  )
}
