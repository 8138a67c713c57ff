import { ROTATION_HOURS } from "../../domain/Webhook.ts"
import { DEFAULT_OVERLAP_SECONDS } from "../../domain/ApiKey.ts"
import { type Json, mapOperations } from "./Operations.ts"

const READ_ONLY = "Never returns secrets."
const VERSIONED = "Send the `ETag` you read as `If-Match`; if it has changed since, the response is 412."

/** The texts of the management API, by operation id. */
const managementTexts: Readonly<Record<string, string>> = {
  "api-keys.list": READ_ONLY,
  "api-keys.create": "Store `secret` in your backend's configuration: it cannot be read again.",
  "api-keys.read": READ_ONLY,
  "api-keys.update": VERSIONED,
  "api-keys.revoke": "The key stops working at once, in every process.",
  "api-keys.rotate": `The new key works at once. The old one works until the overlap is over (${DEFAULT_OVERLAP_SECONDS / 3600} hours, if absent).`,
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
  "routing.versions": "Each save is a version. `saved_by` is the name of the person or token.",
  "routing.restore": `Saves the steps of that version as a new one, under the checks of a save. ${VERSIONED}`,
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
  "wallet.budget": "Nothing is refused because of a budget: people get an alert at 80% and at 100% of it.",
  "wallet.saveBudget": "An amount of null removes the budget. A missing field stays as it is.",
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
  "users.resetSecondFactor":
    "For a user who has lost their phone. Sessions need a sign-in of the last 10 minutes, tokens do not.",
  "webhooks.list": READ_ONLY,
  "webhooks.create": "Store `secret`: it signs what Peyk posts, and cannot be read again.",
  "webhooks.read": READ_ONLY,
  "webhooks.update": VERSIONED,
  "webhooks.remove": "Its deliveries are removed too.",
  "webhooks.test": "Returns the delivery; read its outcome in the list of deliveries.",
  "webhooks.rotateSecret": `For ${ROTATION_HOURS} hours each request carries two signatures, so no event is lost meanwhile.`,
  "webhooks.listen":
    "For development, as `peyk webhook listen` does it: Server-Sent Events, each with the body that a webhook would get. Five programs of a customer at a time. After a lost connection an event can come again.",
  "webhooks.deliveries": "With the status and the duration of each try.",
  "webhooks.replay": "With the same `webhook-id`, so that a receiver can see that it is the same event.",
  "webhooks.retryFailed":
    "For a receiver that was mended: nothing waits for its next try. If `has_more` is true, call again.",
  "webhooks.replaySince":
    "Replays events of the last 30 days. If `next_since` is not null, call again with it as `since`.",
  "alerts.list":
    "What was raised, with each delivery to a person. It has names, ids and counts; never a code, a text or a phone.",
  "alerts.settings": "The defaults until somebody saves others.",
  "alerts.saveSettings": `Missing fields stay as they are. ${VERSIONED}`,
  "alerts.recipients": "All of them, the first made first.",
  "alerts.addRecipient":
    "Exactly one of `user_id`, `email` and `phone`. A user gets alerts at once; an address or a phone after its code was entered. A phone's code is a verification of yours, over your own accounts.",
  "alerts.confirmRecipient": "Five wrong codes end it; it is valid for 15 minutes.",
  "alerts.testRecipient": "Read its outcome in the list of alerts.",
  "alerts.removeRecipient": "Alerts that still wait for it are not sent.",
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

/** The descriptions of operations, beyond their summaries, by operation id. */
const apiTexts: Readonly<Record<string, string>> = {
  "otp.send":
    "Tries the first channel before it responds; the rest of the route runs in the background. `queued`: the code was sent, or will be. " +
    "`failed`: no channel accepted it. `risk` says how risky it looks by your own codes. If the response does not arrive, repeat the request with the same `Idempotency-Key`: no second code is sent.",
  "otp.preview":
    "What a send with this body would do now: the route with what each account can do, the texts with a sample code, your limits, and the error that would refuse it. Sends, costs and counts nothing, except against the key's limit per minute.",
  "otp.verify":
    "Success is certain only if `verified` is true. A wrong code counts: after 5 the verification is `locked`. A code is accepted once.",
  "otp.status":
    "Read it every 5 to 10 seconds while the status is `queued`, or receive webhooks. `verified`, `failed`, `locked`, `expired` and `canceled` are final.",
  "sandbox.send":
    "Validates the request as a live send does, and creates a real record. Phones +989000000001 to …08 force an outcome.",
  "sandbox.verify": "The code `123456` is right, any other is wrong. A wrong code never locks.",
  "sandbox.status": "The simulated verification's status.",
  "sandbox-messages.send":
    "Validates the message and creates a real record; nothing is sent. Phones +989000000001 to …08 force an outcome.",
  "sandbox-messages.batch": "Like `POST /v1/messages/batch`, but nothing is sent, charged or counted.",
  "sandbox-messages.status": "The simulated message with its attempts.",
  "messages.send":
    "Responds when the message is stored; sending is asynchronous. `failover` tries the channels in order until one succeeds, `broadcast` uses all of them.",
  "messages.batch":
    "Peyk checks and accepts each message on its own, in the order of the request. A refused message has its error in `data`; the others are accepted. " +
    "All are stored together. Repeating the request with the same `Idempotency-Key` returns the same response and creates nothing. The body has at most 1 MiB.",
  "messages.status": "The status, the counters, and every attempt with its outcome.",
  "lookup.read":
    "Before you send: what your own codes and messages say of a phone. Nothing in it comes from other customers. A test key sees the sandbox only.",
  "lookup.post": "The same as `GET /v1/phones/{phone}/lookup`, without the phone in logs of proxies.",
  "account.read": "The limits, prices, quota and wallet of the key's customer.",
  "auth.signIn":
    "Returns an access token for 15 minutes and a refresh token. After repeated failures, sign-ins are refused for a while: 429.",
  "auth.refresh": "Each refresh token works once. If one is used again, the session ends.",
  "auth.signOut":
    "Ends the session: its refresh token and its access tokens stop working at once, in every process.",
  "well-known.jwks": "The public keys with which another service can check access tokens.",
  "system.healthz": "For a liveness probe. It does not touch the store.",
  "system.readyz": "For a readiness probe: 503 while this process cannot serve."
}

const texts: Readonly<Record<string, string>> = { ...apiTexts, ...managementTexts }

/** Describes each operation that has no description of its own. */
export const describeOperations = (document: Json): Json =>
  mapOperations(document, ({ id, body }) => {
    const description = body["description"] ?? texts[id]
    return description === undefined ? body : { ...body, description }
  })
