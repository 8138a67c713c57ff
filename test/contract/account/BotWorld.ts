import { expect } from "vitest"
import { BOT_TOKENS, type BotPlatformName } from "../../support/fakes/FakeBotApi.ts"
import { messages } from "../Client.ts"
import { arrived, connectAccount, type FarEnds, openFarEnds, sendsWith } from "../FarEnds.ts"
import { type Customer, newCustomer } from "../Operator.ts"
import { type Server, startServer } from "../Server.ts"

export const platforms: ReadonlyArray<BotPlatformName> = ["bale", "soroushplus", "telegram"]
export const persian = /[\u0600-\u06ff]{3}/

export interface World {
  readonly ends: FarEnds
  readonly server: Server
  readonly customer: Customer
  /** The `credential_id` of the channel's account. */
  readonly account: Readonly<Record<string, number>>
}

export const openWorld = async (
  env: Readonly<Record<string, string>>,
  providers: ReadonlyArray<readonly [channel: string, provider: string, settings: object]>
): Promise<World> => {
  const ends = await openFarEnds()
  const server = await startServer({ env: { ...ends.env, ...env } })
  const customer = await newCustomer(server)
  const connected = await Promise.all(
    providers.map(async ([channel, ...given]) => [
      channel,
      await connectAccount(server, customer.id, channel, ...given)
    ])
  )
  return { ends, server, customer, account: Object.fromEntries(connected) }
}

export const botsOf = platforms.map(
  (platform) => [platform, `${platform}_bot`, { token: BOT_TOKENS[platform] }] as const
)

/** Stops what `openWorld` started, as far as it came. */
export const closeWorld = async (world: World | undefined) => {
  await world?.server.stop()
  await world?.ends.close()
}

let people = 700_000
export const newChat = () => (people += 1)
export const textOf = (body: unknown) => String(Object(body).text)

/** Whether the messenger's channel reaches the phone: by a message, which has to arrive in the chat if it does. */
export const reaches = async (
  { ends, server, customer }: World,
  channel: Messenger,
  phone: string,
  chat: string
) => {
  const fake = ends[channel]
  const text = `To ${phone} over ${channel} at ${performance.now()}`
  const message = await messages(server, customer.live).delivered({
    to: phone,
    message: text,
    channels: channel
  })
  const [attempt] = message.attempts
  if (message.status === "sent") {
    const [received] = await arrived(fake, text)
    expect(String(Object(received?.json).chat_id)).toBe(chat)
    return true
  }
  expect(attempt).toMatchObject({ status: "failed", error_code: "recipient_unreachable" })
  expect(sendsWith(fake, text)).toEqual([])
  return false
}
export type Messenger = BotPlatformName | "rubika" | "eitaa"

/** Waits until the bot has written this many times to the chat; gives what it wrote, in order. */
export const repliesTo = async ({ ends }: World, channel: Messenger, chat: number | string, count: number) =>
  (await arrived(ends[channel], `"chat_id":${JSON.stringify(chat)}`, count)).map((received) => received.json)

/** A request for the sender's number, in Persian, with a button that shares it. */
export const expectQuestion = (reply: unknown) => {
  expect(textOf(reply)).toMatch(persian)
  const keyboard: ReadonlyArray<ReadonlyArray<unknown>> = Object(reply).reply_markup.keyboard
  expect(keyboard.flat()).toEqual(
    expect.arrayContaining([{ text: expect.stringMatching(persian), request_contact: true }])
  )
}
