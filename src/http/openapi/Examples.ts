import { isJson, type Json, mapOperations, objectAt } from "./Operations.ts"

interface Example {
  readonly summary: string
  readonly value: Json
}

/** Ids in examples; a reader puts their own there. */
const VERIFICATION_ID = "0195f7a0-2c1b-7d3e-8a51-6f0c2b9d4e17"
const PHONE = "09121234567"

const one = (summary: string, value: Json): Readonly<Record<string, Example>> => ({
  default: { summary, value }
})

const nextExamples: Readonly<Record<string, Example>> = {
  next: { summary: "If the caller still looked at the first attempt", value: { from_sequence: 1 } },
  named: { summary: "By SMS instead", value: { from_sequence: 1, channel: "sms" } }
}

/** Request bodies that the server accepts, by operation id. A test sends each. */
const requestExamples: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  "otp.send": {
    route: {
      summary: "Over Bale, and after 45 seconds by SMS",
      value: { phone: PHONE, channels: [{ channel: "bale", wait: 45 }, { channel: "sms" }] }
    },
    saved: { summary: "Over the saved routing order", value: { phone: PHONE } }
  },
  "otp.preview": one("Over Bale, and then by SMS", { phone: PHONE, channels: ["bale", "sms"] }),
  "otp.verify": one("A code that a user entered", { verification_id: VERIFICATION_ID, code: "123456" }),
  "otp.next": nextExamples,
  "sandbox.next": nextExamples,
  "sandbox.send": {
    accepted: { summary: "Every channel accepts", value: { phone: PHONE, channels: ["bale", "sms"] } },
    refused: {
      summary: "The first channel refuses, the second accepts",
      value: { phone: "+989000000002", channels: ["bale", "sms"] }
    }
  },
  "sandbox.verify": one("The sandbox's code", { verification_id: VERIFICATION_ID, code: "123456" }),
  "messages.send": {
    text: {
      summary: "A text over Bale, else by SMS",
      value: { to: PHONE, message: "سفارش شما ارسال شد.", channels: ["bale", "sms"] }
    },
    scheduled: {
      summary: "In two hours, over every channel",
      value: {
        to: PHONE,
        message: "Your order is on its way.",
        channels: ["bale", "eitaa"],
        strategy: "broadcast",
        delay: "2h",
        metadata: { order: "1843" }
      }
    }
  },
  "sandbox-messages.send": one("A text over Bale, else by SMS", {
    to: PHONE,
    message: "سفارش شما ارسال شد.",
    channels: ["bale", "sms"]
  }),
  "messages.batch": one("Two messages", {
    messages: [
      { to: PHONE, message: "سفارش شما ارسال شد.", channels: ["bale", "sms"] },
      { to: "09351234567", message: "سفارش شما آمادهٔ تحویل است.", channels: ["sms"] }
    ]
  }),
  "sandbox-messages.batch": one("Two simulated messages", {
    messages: [
      { to: PHONE, message: "سفارش شما ارسال شد.", channels: ["bale", "sms"] },
      { to: "09351234567", message: "سفارش شما آمادهٔ تحویل است.", channels: ["sms"] }
    ]
  }),
  "lookup.post": one("A phone", { phone: PHONE }),
  "api-keys.create": one("A key for a backend", {
    name: "backend",
    mode: "live",
    allowed_ips: ["203.0.113.0/24"]
  }),
  "api-keys.update": one("Another limit", { rate_limit_per_minute: 600 }),
  "api-keys.rotate": one("The old key works for another hour", { overlap_seconds: 3600 }),
  "accounts.connect": one("A simulated account", {
    channel: "bale",
    provider: "simulator",
    label: "Bale",
    settings: {}
  }),
  "accounts.update": one("Two sends in a second at most", { label: "Bale, shop", gap_ms: 500 }),
  "accounts.standby": one("No account takes over", { account_ids: [] }),
  "accounts.importContacts": one("One phone", { contacts: [{ phone: PHONE, chat_id: "1001" }] }),
  "guard.replace": one("Refuse what looks like abuse", { mode: "enforcing", sms_price: 1200 }),
  "guard.update": one("At most 200 unverified codes in an hour", { unverified_hour: 200 }),
  "guard.add": one("A range of numbers", { type: "prefix", value: "0912345" }),
  "routing.save": {
    saved: {
      summary: "Bale first, SMS after 45 seconds",
      value: { steps: [{ channel: "bale", wait: 45 }, { channel: "sms" }] }
    },
    measured: {
      summary: "The cheapest channel close to the best first, with measured waits",
      value: {
        order: "measured",
        steps: [
          { channel: "bale", wait: "measured" },
          { channel: "sms", wait: "measured" }
        ]
      }
    }
  },
  "templates.create": one("A text with a name", { name: "order", body: "سلام {{name}}، سفارش شما ارسال شد." }),
  "templates.update": one("Another text", { body: "{{name}} عزیز، سفارش شما ارسال شد." }),
  "webhooks.create": one("Ends of verifications", {
    url: "https://example.com/hooks/peyk",
    events: ["verification.verified", "verification.failed"]
  }),
  "webhooks.update": one("Every event", { events: ["*"] }),
  "webhooks.replaySince": one("All events of an hour", { since: "2026-03-14T09:00:00Z" }),
  "wallet.saveBudget": one("Five million rials in an Iranian month", {
    amount: 5_000_000,
    calendar: "jalali"
  }),
  "alerts.saveSettings": one("Quiet at night", {
    quiet_hours: { from: "22:00", until: "08:00" },
    urgent_passes: true
  }),
  "alerts.addRecipient": one("A phone", { phone: PHONE }),
  "alerts.confirmRecipient": one("The code that was sent there", { code: "123456" }),
  "tokens.create": one("A token that reads", { name: "reports", scope: "read_only" }),
  "phones.erase": one("A phone whose owner asked for it", { phone: PHONE }),
  "me.update": one("Codes say whose they are, in English", { brand: "My shop", locale: "en" }),
  "users.create": one("A developer", {
    email: "sara@example.com",
    name: "Sara",
    role: "developer",
    password: "correct horse battery staple"
  }),
  "users.update": one("Another role", { role: "viewer" }),
  "users.password": one("A new password", { password: "another correct horse battery" }),
  "auth.signIn": one("With a password", {
    email: "sara@example.com",
    password: "correct horse battery staple"
  }),
  "auth.refresh": one("With the newest refresh token", { refresh_token: "REFRESH_TOKEN" }),
  "auth.signOut": one("With the newest refresh token", { refresh_token: "REFRESH_TOKEN" })
}

const withExamples = (body: Json, examples: Json): Json => {
  const requestBody = objectAt(body, "requestBody")
  const content = objectAt(requestBody, "content")
  const json = objectAt(content, "application/json")
  return {
    ...body,
    requestBody: { ...requestBody, content: { ...content, "application/json": { ...json, examples } } }
  }
}

/** Shows in each operation with a body what a request looks like. */
export const addExamples = (document: Json): Json =>
  mapOperations(document, ({ id, body }) => {
    const examples = requestExamples[id]
    return examples === undefined || !isJson(body["requestBody"]) ? body : withExamples(body, examples)
  })
