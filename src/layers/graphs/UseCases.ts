import { Layer } from "effect"
import { PhoneErasures } from "../../services/PhoneErasures.ts"
import { Messages, SandboxMessages } from "../../services/message/Messages.ts"
import { SandboxVerifications, Verifications } from "../../services/verification/Verifications.ts"
import { AlertCodes } from "../../services/alert/AlertCodes.ts"
import { CustomerRecordsSql } from "../customer/CustomerRecordsSql.ts"
import { PhoneErasureStoreSql } from "../retention/PhoneErasureStoreSql.ts"
import { MessagesLive, MessagesSandbox } from "./MessageGraph.ts"
import { VerificationsLive, VerificationsSandbox } from "./VerificationGraph.ts"

/** The compositions of the use cases that a service runs; replace one to replace a part of it. */
export const useCases = {
  live: VerificationsLive,
  sandbox: VerificationsSandbox,
  messages: MessagesLive,
  sandboxMessages: MessagesSandbox
}

/** Codes and messages of both modes, for those who use them next to each other. */
export const sendsOfBothModes = ({ live, sandbox, messages, sandboxMessages }: typeof useCases) =>
  Layer.mergeAll(
    live,
    Layer.provide(Layer.effect(SandboxVerifications, Verifications), sandbox),
    messages,
    Layer.provide(Layer.effect(SandboxMessages, Messages), sandboxMessages)
  )

/** The codes that confirm where alerts go. */
export const alertCodesLive = (live: (typeof useCases)["live"]) =>
  Layer.provide(AlertCodes.layer, [live, CustomerRecordsSql])

/** Erases phones, over the use cases of both modes. */
export const erasuresLive = (graphs: typeof useCases) =>
  Layer.provide(PhoneErasures.layer, [PhoneErasureStoreSql, sendsOfBothModes(graphs)])
