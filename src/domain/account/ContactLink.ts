import type { Phone } from "../Phone.ts"

/** A phone, and the chat by which a bot reaches it: the platform's id, as it writes it. */
export interface ContactLink {
  readonly phone: Phone
  readonly chatId: string
}
