import type { KeyMode } from "../../domain/people/Customer.ts"
import type { MessageAcceptance } from "../../services/message/MessageStore.ts"
import { type AcceptKind, ADMITTED } from "../postgres/batching/AcceptStatement.ts"
import { admissionRules } from "../verification/AdmissionRules.ts"
import { OPERATIONS } from "./MessageRow.ts"
import { messageInsertColumns, storedMessages } from "./StoredMessagesSql.ts"

interface AcceptedMessage extends MessageAcceptance {
  readonly eventId: string
}

/** No limit of the platform concerns messages. */
const RULES = admissionRules("message").filter(({ name }) => name !== "platform")

/** One mode's messages, for the statement that accepts a batch of them. */
export const acceptedMessages = (mode: KeyMode): AcceptKind<MessageAcceptance, AcceptedMessage> => {
  const { parts, webhooks } = storedMessages(mode, `(select * from ${ADMITTED}) r`)
  return {
    operation: OPERATIONS[mode],
    rules: RULES,
    subjectOf: ({ message }) => message,
    columns: messageInsertColumns,
    optional: [],
    stores: () => parts,
    webhooks
  }
}
