import { managementTexts } from "./ManagementTexts.ts"
import type { Json } from "./Json.ts"
import { mapOperations } from "./Operations.ts"

/** The descriptions of operations, beyond their summaries, by operation id. */
const apiTexts: Readonly<Record<string, string>> = {
  "otp.send":
    "Tries the first channel before it responds; the rest of the route runs in the background. `queued`: the code was sent, or will be. " +
    "`failed`: no channel accepted it. If the response does not arrive, repeat the request with the same `Idempotency-Key`: no second code is sent.",
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
