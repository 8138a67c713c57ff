import { expect } from "@effect/vitest"
import { type Act, id, ofCustomer } from "./Act.ts"

const ofKey = () => ["--key", id("api_key")]
const ofUser = () => ["--user", id("user")]

/** In an order in which each command finds what it is about. */
export const peopleActs: ReadonlyArray<Act> = [
  {
    command: "customer update",
    words: () => [...ofCustomer(), "--plan", "start"],
    action: "customer.update",
    subject: "customer",
    details: { plan: "start" }
  },
  {
    command: "customer limits",
    words: () => [...ofCustomer(), "--set", "phone_hour=7"],
    action: "customer.set_limits",
    subject: "customer",
    details: { phone_hour: 7 }
  },
  {
    command: "wallet top-up",
    words: () => [...ofCustomer(), "--amount", "5000"],
    action: "wallet.top_up",
    subject: "wallet",
    details: { amount: 5000 }
  },
  {
    command: "wallet budget set",
    words: () => [...ofCustomer(), "--amount", "7000", "--calendar", "gregorian"],
    action: "wallet.set_budget",
    subject: "wallet",
    details: { amount: 7000, calendar: "gregorian" }
  },
  {
    command: "guard set",
    words: () => [...ofCustomer(), "--mode", "record", "--sms-price", "900"],
    action: "guard.save",
    subject: "guard",
    details: { mode: "record", sms_price: 900 }
  },
  {
    command: "guard allow add",
    words: () => [...ofCustomer(), "--ip", "192.0.2.0/24"],
    action: "guard.add",
    subject: "guard",
    details: { list: "allow", type: "ip" }
  },
  {
    command: "guard allow remove",
    words: () => [...ofCustomer(), "--ip", "192.0.2.0/24"],
    action: "guard.remove",
    subject: "guard",
    details: { list: "allow", type: "ip" }
  },
  {
    command: "guard deny add",
    words: () => [...ofCustomer(), "--phone", "09121234567"],
    action: "guard.add",
    subject: "guard",
    details: { list: "deny", type: "phone" }
  },
  {
    command: "guard deny remove",
    words: () => [...ofCustomer(), "--phone", "09121234567"],
    action: "guard.remove",
    subject: "guard",
    details: { list: "deny", type: "phone" }
  },
  {
    command: "message batch",
    words: () => [...ofCustomer(), "--file", "-", "--idempotency-key", "k"],
    input: '{"messages":[{"to":"09121234567","message":"x","channels":"sms"}]}',
    action: "message.batch",
    subject: "customer",
    details: { created: 0, refused: 1 }
  },
  {
    command: "key create",
    words: () => [...ofCustomer(), "--mode", "live", "--name", "shop"],
    action: "api_key.create",
    subject: "api_key",
    details: { name: "shop", mode: "live" },
    makes: "id"
  },
  {
    command: "key limit",
    words: () => [...ofKey(), "--per-minute", "9"],
    action: "api_key.update",
    subject: "api_key",
    details: { rate_limit_per_minute: 9 }
  },
  {
    command: "key rotate",
    words: () => [...ofKey(), "--overlap-seconds", "0"],
    action: "api_key.rotate",
    subject: "api_key",
    details: { replaced_by: expect.any(Number), overlap_seconds: 0 }
  },
  { command: "key revoke", words: ofKey, action: "api_key.revoke", subject: "api_key", details: {} },
  {
    command: "token create",
    words: () => [...ofCustomer(), "--scope", "read_only", "--name", "CI"],
    action: "token.create",
    subject: "token",
    details: { name: "CI", scope: "read_only" },
    makes: "id"
  },
  {
    command: "token revoke",
    words: () => ["--token", id("token")],
    action: "token.revoke",
    subject: "token",
    details: {}
  },
  {
    command: "user create",
    words: () => [
      ...ofCustomer(),
      "--email",
      "sara@example.ir",
      "--role",
      "owner",
      "--password-file",
      id("file")
    ],
    action: "user.create",
    subject: "user",
    details: { role: "owner" },
    makes: "id"
  },
  {
    command: "user set-password",
    words: () => [...ofUser(), "--password-file", id("file")],
    action: "user.set_password",
    subject: "user",
    details: {}
  },
  {
    command: "user update",
    words: () => [...ofUser(), "--role", "owner", "--name", "Sara"],
    action: "user.update",
    subject: "user",
    details: { name: "Sara", role: "owner" }
  },
  {
    command: "user disable",
    words: ofUser,
    action: "user.update",
    subject: "user",
    details: { active: false }
  },
  {
    command: "user enable",
    words: ofUser,
    action: "user.update",
    subject: "user",
    details: { active: true }
  },
  {
    command: "user reset-second-factor",
    words: ofUser,
    action: "user.reset_second_factor",
    subject: "user",
    details: {}
  },
  {
    command: "user sign-in-link",
    words: ofCustomer,
    action: "user.create_sign_in_link",
    subject: "user",
    details: {}
  }
]
