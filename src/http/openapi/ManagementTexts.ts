const READ_ONLY = "Never returns secrets."
const VERSIONED = "Send the `ETag` you read as `If-Match`; if it has changed since, the response is 412."

/** The texts of the management API, by operation id. */
export const managementTexts: Readonly<Record<string, string>> = {
  "api-keys.list": READ_ONLY,
  "api-keys.create": "Store `secret` in your backend's configuration: it cannot be read again.",
  "api-keys.read": READ_ONLY,
  "api-keys.update": VERSIONED,
  "api-keys.revoke": "The key stops working at once, in every process.",
  "api-keys.rotate":
    "The new key works at once. The old one works until the overlap is over (24 hours, if absent).",
  "accounts.list": "Never returns an account's settings.",
  "accounts.connect":
    "Settings are encrypted, and no operation returns them. `check` has the provider's response.",
  "accounts.read": "Never returns the account's settings.",
  "accounts.update": `Given settings replace all settings. ${VERSIONED}`,
  "accounts.standby":
    "The accounts of the same channel that take over with a code, in order; an empty list removes them. They stay out if the recipient was refused.",
  "accounts.check": "Sends nothing to a phone.",
  "accounts.inbox": "For bots whose provider posts updates. Treat the path as a secret.",
  "accounts.rotateInbox": "The old path stops working at once: set the new one at the provider.",
  "accounts.contacts": "A bot can write only to people who wrote to it.",
  "accounts.importContacts": "A phone that is linked already gets the new chat.",
  "accounts.removeContact": "The bot cannot reach this phone until it is linked again.",
  "routing.read": "The order that a send of a code uses if it has no `channels`.",
  "routing.save": `Replaces the whole order; an empty list removes it. With \`order: measured\`, each code first tries the cheapest channel whose conversion is within five points of the best. ${VERSIONED}`,
  "templates.list": "Includes inactive templates, unless you filter.",
  "templates.create":
    "Placeholders have the form `{{name}}`. A template for codes contains `{{code}}`, and may contain `{{minutes}}`.",
  "templates.read": "The template with the names of its parameters.",
  "templates.update": VERSIONED,
  "verifications.read": "With the provider's own words on each attempt. Never contains the code.",
  "managed-messages.read": "With the provider's own words on each attempt.",
  "managed-account.read": "The same as `GET /v1/account`, for a token or a session.",
  "wallet.read": "Whole rials. `available` is the balance without what is held.",
  "wallet.holds": "Money that is held for sends in progress.",
  "wallet.ledger": "The balance is the sum of all movements.",
  "audit-log.list": "Every change by a person, a program or the command line. It contains no secret.",
  "guard.read":
    "The settings, the open alarms, and a report of the last 30 days: the codes that enforcing would have refused, and their cost.",
  "guard.replace": `Mode \`record\` refuses only what is on the deny list. ${VERSIONED}`,
  "guard.update": `You can choose the mode \`enforcing\` from the start; \`enforcing_advised\` says when Peyk advises it. ${VERSIONED}`,
  "guard.alarms": "Includes alarms that have ended.",
  "guard.clear": "Use it for a false alarm: it deletes what the guard has counted of this segment.",
  "guard.entries": "The deny list applies in every mode. The guard never refuses what is on the allow list.",
  "guard.add": "Adding an entry that exists changes nothing. Both lists together have at most 1000 entries.",
  "guard.remove": "Escape the value as a part of a path: `10.0.0.0%2F8`.",
  "webhooks.list": READ_ONLY,
  "webhooks.create": "Store `secret`: it signs what Peyk posts, and cannot be read again.",
  "webhooks.read": READ_ONLY,
  "webhooks.update": VERSIONED,
  "webhooks.remove": "Its deliveries are removed too.",
  "webhooks.test": "Returns the delivery; read its outcome in the list of deliveries.",
  "webhooks.rotateSecret": "For 24 hours each request carries two signatures, so no event is lost meanwhile.",
  "webhooks.deliveries": "With the status and the duration of each try.",
  "webhooks.replay": "With the same `webhook-id`, so that a receiver can see that it is the same event.",
  "webhooks.replaySince":
    "Replays events of the last 30 days. If `next_since` is not null, call again with it as `since`.",
  "tokens.list": READ_ONLY,
  "tokens.create": "Valid for 90 days if `expires_at` is absent. A `read_only` token can only read.",
  "tokens.read": READ_ONLY,
  "tokens.revoke": "The token stops working at once.",
  "users.list": READ_ONLY,
  "users.create": "Roles: `owner` manages access, `developer` changes the set-up, `viewer` reads.",
  "users.read": READ_ONLY,
  "users.update": "If the user is disabled, their sessions end at once.",
  "users.password": "Users change their own password with the current one; owners set it for others.",
  "me.update":
    "`brand` names the sender in the default text; `locale` is its language if a request names none.",
  "me.read": "The customer, the kind of credential, and what it may do."
}
