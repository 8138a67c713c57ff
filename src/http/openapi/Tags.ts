import type { Json } from "./Json.ts"

/** The purpose of the operations of each tag. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Verification: "Send one-time codes and verify them. With a live key.",
  Sandbox: "The same with a test key: nothing is sent or charged, and the code is always 123456.",
  "Sandbox: messaging": "Messages with a test key: nothing is sent or charged.",
  Messaging: "Send a text to one phone over one or several channels, now or later. With a live key.",
  Account: "What a service key may use: limits, prices, quota, wallet.",
  "Management: service keys": "The keys of your backends.",
  "Management: sending accounts":
    "The messenger and SMS accounts that you connected, and the contacts of their bots.",
  "Management: routing": "The channels that codes use if a request names none.",
  "Management: templates": "Texts with placeholders, for messages and codes.",
  "Management: verifications": "Search codes that were sent, with each provider's response.",
  "Management: messages": "Search messages that were sent, with each provider's response.",
  "Management: phones": "Erase a phone from your records.",
  "Management: usage": "Counts and costs by day and channel.",
  "Management: account": "Your plan, limits, prices, quota and wallet.",
  "Management: wallet": "The balance, and every movement of money.",
  "Management: audit log": "Who changed what, and from where.",
  "Management: guard": "Protection against pumping, bombing and guessing.",
  "Management: webhooks": "Endpoints that receive events, and the deliveries to them.",
  "Management: personal access tokens": "Credentials of programs that manage your account.",
  "Management: users": "People who sign in to manage your account. For owners.",
  "Management: who am I": "The customer and the credential of this request.",
  "Sign-in": "Sessions of people. Programs use a personal access token.",
  "Well-known": "Public keys.",
  System: "Health and metrics of the service.",
  Events: "The events that Peyk posts to your webhooks."
}

/** Describes each tag, and adds the one of the webhooks. */
export const describeTags = (document: Json): Json => {
  const { tags } = document
  const given: ReadonlyArray<Json> = Array.isArray(tags) ? tags : []
  const described = [...given, { name: "Events" }].map((tag) => ({
    ...tag,
    description: tagDescriptions[String(tag["name"])] ?? tag["description"]
  }))
  return { ...document, tags: described }
}
