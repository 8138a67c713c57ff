import { expect } from "vitest"
import { type Act, id, ofCustomer } from "./Act.ts"

export const ofWebhook = () => [...ofCustomer(), "--webhook", id("webhook")]

/** In an order in which each command finds what it is about. */
export const webhookActs: ReadonlyArray<Act> = [
  {
    command: "webhook create",
    words: () => [...ofCustomer(), "--url", `${id("receiver")}/hook?secret=1`, "--events", "message.sent"],
    action: "webhook.create",
    subject: "webhook",
    details: { events: ["message.sent"], origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) },
    makes: "id"
  },
  {
    command: "webhook replay",
    words: () => [...ofWebhook(), "--since", "2020-01-01T00:00:00Z"],
    action: "webhook.replay",
    subject: "webhook",
    details: { since: "2020-01-01T00:00:00.000Z", replayed: 0 }
  }
]
