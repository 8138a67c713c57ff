import { auditEntriesOf } from "../ManagementWrites.ts"

/** The audit log's entries of changes to the contacts of accounts. */
export const contactsEntry = auditEntriesOf("account", "contacts")
