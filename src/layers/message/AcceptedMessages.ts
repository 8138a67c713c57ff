import type { KeyMode } from "../../domain/people/Customer.ts"
import type { MessageAcceptance } from "../../services/message/MessageStore.ts"
import { type AcceptKind, ADMITTED } from "../postgres/batching/AcceptStatement.ts"
import { OPERATIONS } from "./MessageRow.ts"
import { messageInsertColumns, storedMessages } from "./StoredMessagesSql.ts"

/** A message with the id of its first event. */
export interface AcceptedMessage extends MessageAcceptance {
  readonly eventId: string
}

/** One mode's messages, for the statement that accepts a batch of them. */
export const acceptedMessages = (mode: KeyMode): AcceptKind<MessageAcceptance, AcceptedMessage> => {
  const { parts, webhooks } = storedMessages(mode, `(select * from ${ADMITTED}) r`)
  return {
    operation: OPERATIONS[mode],
    counts: "message",
    subjectOf: ({ message }) => message,
    columns: messageInsertColumns,
    optional: [],
    stores: () => parts,
    webhooks
  }
}
