import { type Act, id, ofCustomer } from "./Act.ts"

export const ofAccount = () => ["--account", id("account")]
export const ofTemplate = () => ["--template", id("template")]
export const bot = ["--channel", "telegram", "--provider", "telegram_bot", "--label", "Ours", "--no-check"]

/** In an order in which each command finds what it is about. */
export const channelActs: ReadonlyArray<Act> = [
  {
    command: "account connect",
    words: () => [...ofCustomer(), ...bot, "--settings", '{"token":"1:secret"}'],
    action: "account.connect",
    subject: "account",
    details: { channel: "telegram", provider: "telegram_bot", label: "Ours" },
    makes: "credential_id"
  },
  {
    command: "account limits",
    words: () => [...ofAccount(), "--gap-ms", "5"],
    action: "account.update",
    subject: "account",
    details: { gap_ms: 5 }
  },
  {
    command: "account update",
    words: () => [...ofAccount(), "--label", "Our bot", "--settings", '{"token":"3:secret"}', "--no-check"],
    action: "account.update",
    subject: "account",
    details: { label: "Our bot", settings: "replaced" }
  },
  {
    command: "account inbox",
    words: () => [...ofAccount(), "--rotate"],
    action: "account.rotate_inbox",
    subject: "account",
    details: {}
  },
  {
    command: "contacts import",
    words: () => [...ofAccount(), "--file", "-"],
    input: "phone,chat_id\n09121234567,42\n",
    action: "contacts.import",
    subject: "account",
    details: { imported: 1 }
  },
  {
    command: "contacts remove",
    words: () => [...ofAccount(), "--phone", "09121234567"],
    action: "contacts.remove",
    subject: "account",
    details: { removed: true }
  },
  {
    command: "account disable",
    words: ofAccount,
    action: "account.update",
    subject: "account",
    details: { active: false }
  },
  {
    command: "account enable",
    words: ofAccount,
    action: "account.update",
    subject: "account",
    details: { active: true }
  },
  {
    command: "routing set",
    words: () => [...ofCustomer(), "--steps", '[{"channel":"bale"}]', "--order", "measured"],
    action: "routing.save",
    subject: "routing",
    details: { order: "measured", steps: [{ channel: "bale" }] }
  },
  {
    command: "routing restore",
    words: () => [...ofCustomer(), "--version", "1"],
    action: "routing.restore",
    subject: "routing",
    details: { restored: 1, order: "measured", steps: [{ channel: "bale" }] }
  },
  {
    command: "routing delete",
    words: ofCustomer,
    action: "routing.save",
    subject: "routing",
    details: { order: "saved", steps: [] }
  },
  {
    command: "template create",
    words: () => [...ofCustomer(), "--name", "Welcome", "--body", "Hello {{name}}"],
    action: "template.create",
    subject: "template",
    details: { name: "Welcome" },
    makes: "id"
  },
  {
    command: "template update",
    words: () => [...ofTemplate(), "--name", "Order", "--body", "{{name}}, it is sent"],
    action: "template.update",
    subject: "template",
    details: { name: "Order", body: "replaced" }
  },
  {
    command: "template disable",
    words: ofTemplate,
    action: "template.update",
    subject: "template",
    details: { active: false }
  },
  {
    command: "template enable",
    words: ofTemplate,
    action: "template.update",
    subject: "template",
    details: { active: true }
  }
]
