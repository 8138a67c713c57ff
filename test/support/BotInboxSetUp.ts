/** What the tests of a bot's inbox share. */
import { Effect } from "effect"
import { BotUpdate } from "../../src/domain/account/BotConversation.ts"
import { Phone } from "../../src/domain/Phone.ts"
import { defaultEndpoints } from "../../src/layers/provider/ProviderEndpoints.ts"
import { ContactLinks } from "../../src/services/account/Contacts.ts"
import type { BotInbox } from "../../src/services/provider/ProviderAdapter.ts"
import { connectedProcess, connectionWith } from "./ScriptedConnections.ts"
import { scriptProviders } from "./ScriptedProviders.ts"

export const { Left, SharedContact, Spoke } = BotUpdate

const PHONE = Phone.make("+989121234567")
export const PUBLIC_URL = "https://peyk.example"
export const DAY = 86_400

export const endpoints = { ...defaultEndpoints, publicUrl: PUBLIC_URL }

/** A process whose every account has this inbox. */
export const processWith = (inbox: BotInbox | null, isPublic = false) =>
  connectedProcess(scriptProviders().layer, () => connectionWith({ inbox }), isPublic ? { endpoints } : {})

export const share = (
  chatId = "7",
  changes: { readonly isOwn?: boolean; readonly isProven?: boolean } = {}
) => SharedContact({ chatId, phone: "989121234567", isOwn: true, isProven: true, ...changes })
export const shareOther = (chatId: string) =>
  SharedContact({ chatId, phone: "989351234567", isOwn: true, isProven: true })
export const OTHER = Phone.make("+989351234567")
export const bareBatch = (update: BotUpdate, cursor = "c1") => ({ updates: [update], cursor })

export const chatOf = (accountId: number, phone = PHONE) =>
  Effect.flatMap(ContactLinks, (links) => links.chatOf(accountId, phone))
