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
    command: "webhook update",
    words: () => [...ofWebhook(), "--url", `${id("receiver")}/hook?secret=2`, "--description", "The shop's"],
    action: "webhook.update",
    subject: "webhook",
    details: {
      origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      description: "The shop's"
    }
  },
  {
    command: "webhook disable",
    words: ofWebhook,
    action: "webhook.update",
    subject: "webhook",
    details: { active: false }
  },
  {
    command: "webhook enable",
    words: ofWebhook,
    action: "webhook.update",
    subject: "webhook",
    details: { active: true }
  },
  {
    command: "webhook retry-failed",
    words: ofWebhook,
    action: "webhook.replay",
    subject: "webhook",
    details: { only: "failed", replayed: 0 }
  },
  { command: "webhook test", words: ofWebhook, action: "webhook.test", subject: "webhook", details: {} },
  {
    command: "webhook rotate-secret",
    words: ofWebhook,
    action: "webhook.rotate_secret",
    subject: "webhook",
    details: {}
  },
  {
    command: "webhook replay",
    words: () => [...ofWebhook(), "--since", "2020-01-01T00:00:00Z"],
    action: "webhook.replay",
    subject: "webhook",
    details: { since: "2020-01-01T00:00:00.000Z", replayed: 0 }
  }
]
