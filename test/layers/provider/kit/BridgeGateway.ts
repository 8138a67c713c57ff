import { createHmac } from "node:crypto"
import { fakeFarEnd, type Received } from "../../../support/fakes/FakeFarEnd.ts"

export const KEY = Buffer.from("0123456789abcdef0123456789abcdef")
export const SECRET = `whsec_${KEY.toString("base64")}`

/** As a receiver does by the standard: over the bytes that came. */
export const isSigned = ({ headers, body }: Pick<Received, "headers" | "body">, key = KEY): boolean => {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  const expected = createHmac("sha256", key).update(signed).digest("base64")
  return headers["webhook-signature"] === `v1,${expected}`
}

const isReport = ({ json }: Received): boolean => Object(json)["kind"] === "report"

export const fakeGateway = fakeFarEnd((received) => {
  if (!isSigned(received)) return { status: 401, json: { error: "not signed" } }
  return { json: isReport(received) ? { status: "delivered" } : { status: "accepted", message_id: "m1" } }
})
