import type { Answer, Received, Scripted } from "../../support/fakes/FakeFarEnd.ts"
import { BRIDGE_SECRET, digits, local, workingSettings } from "../FarEnds.ts"

export const providers = [
  ["sms", "smsir", "smsir"],
  ["bale", "bale_safir", "safir"],
  ["bale", "bale_bot", "bale"],
  ["eitaa", "eitaa_app", "eitaa"],
  ["soroushplus", "soroushplus_bot", "soroushplus"],
  ["rubika", "rubika_bot", "rubika"],
  ["telegram", "telegram_bot", "telegram"],
  ["rubika", "bridge", "bridge"]
] as const
export type Provider = (typeof providers)[number][1]

/** The phone that a request names, in E.164; bots get a chat instead. */
export const phoneIn = ({ json }: Received): string | undefined => {
  const { mobile, mobiles, phone_number, phone } = Object(json)
  const named = [mobile, mobiles?.[0], phone_number, phone].find((each) => each !== undefined)
  return named === undefined ? undefined : `+98${String(named).slice(-10)}`
}

/** Everything of a request that a far end may repeat in its answer. */
export const echoOf = (provider: Provider, phone: string, { path, headers, body }: Received) =>
  [
    `cannot send to ${digits(phone)}, ${phone}, ${local(phone)} or ${phone.replace("+98", "")}`,
    `by ${provider} with ${JSON.stringify(provider === "bridge" ? BRIDGE_SECRET : workingSettings[provider])}`,
    `${path} ${headers["x-api-key"]} ${headers["api-access-key"]} ${headers["webhook-signature"]}`,
    body
  ].join(": ")

/** How each provider refuses, in its own words. */
export const refusalOf = (provider: Provider, words: string, status: number): Answer => {
  switch (provider) {
    case "smsir":
      return { status, json: { status: status === 429 ? 20 : 104, message: words, data: null } }
    case "bale_safir":
      return { status, json: { message_id: "", error_data: [{ code: 4, description: words }] } }
    case "rubika_bot":
      return { status, json: { status: "INVALID_INPUT", dev_message: words } }
    case "bridge":
      return { json: { status: "rejected", reason: "request", message: words } }
    default:
      return { status, json: { ok: false, error_code: status, description: words } }
  }
}

/** All that can come instead of an answer, with the request repeated in it wherever there is room. */
export const failures = (provider: Provider, phone: string): ReadonlyArray<Scripted> => {
  const echo = (answer: (words: string) => Answer): Scripted => {
    return (received) => answer(echoOf(provider, phoneIn(received) ?? phone, received))
  }
  return [
    echo((words) => refusalOf(provider, words, 400)),
    echo((words) => refusalOf(provider, words, 401)),
    echo((words) => refusalOf(provider, words, 500)),
    echo((words) => ({ status: 502, text: `<html>${words}</html>` })),
    echo((words) => ({ status: 200, text: words })),
    echo((words) => ({ status: 400, json: { [words]: words } })),
    (received) => ({
      status: 302,
      headers: { location: `http://127.0.0.1:1${received.path}?to=${digits(phone)}` },
      text: received.body
    }),
    "reset",
    "stall",
    "silence"
  ]
}
