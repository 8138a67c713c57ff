import { Schema } from "effect"

const messengers = ["eitaa", "bale", "soroushplus", "rubika", "telegram"] as const

/** Every channel an account can be connected for. */
export const Channel = Schema.Literals([...messengers, "sms", "voice"])
export type Channel = typeof Channel.Type

/** What people call each. */
export const channelNames: Readonly<Record<Channel, readonly [english: string, persian: string]>> = {
  eitaa: ["Eitaa", "ایتا"],
  bale: ["Bale", "بله"],
  soroushplus: ["Soroush Plus", "سروش‌پلاس"],
  rubika: ["Rubika", "روبیکا"],
  telegram: ["Telegram", "تلگرام"],
  sms: ["SMS", "پیامک"],
  voice: ["Voice call", "تماس صوتی"]
}

/** The provider that carries codes over telegram. The contract does not list that channel: such an account opens it. */
export const TELEGRAM_GATEWAY = "telegram_gateway"

/** The channels for one-time codes that the contract lists. */
export const codeChannels: ReadonlyArray<Channel> = ["eitaa", "bale", "soroushplus", "rubika", "sms"]

/** The channels for messages: calls carry codes only. */
export const textChannels = Channel.literals.filter((channel) => channel !== "voice")

/** Providers an sms account can have. */
export const smsProviders = [
  "smsir",
  "kavenegar",
  "ippanel",
  "melipayamak",
  "ghasedak",
  "farazsms",
  "bridge",
  "simulator"
] as const

export const isCodeChannel = (name: string): name is Channel =>
  codeChannels.some((channel) => channel === name)

export const isChannel = (name: string): name is Channel =>
  Channel.literals.some((channel) => channel === name)

export const isTextChannel = (name: string): name is Channel =>
  textChannels.some((channel) => channel === name)

export const isSmsProvider = (name: string): boolean => smsProviders.some((provider) => provider === name)

/** How a channel and its account appear in responses. */
export const ChannelDescriptor = Schema.Struct({
  type: Schema.Literals(["messenger", "sms", "voice"]),
  provider: Schema.String,
  credential_id: Schema.NullOr(Schema.Int),
  label: Schema.String
})
export type ChannelDescriptor = typeof ChannelDescriptor.Type

export const channelType = (channel: Channel): ChannelDescriptor["type"] =>
  channel === "sms" || channel === "voice" ? channel : "messenger"
