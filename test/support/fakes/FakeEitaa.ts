import { createHmac } from "node:crypto"
import { type Answer, fakeFarEnd, type FakeOptions, type Received } from "./FakeFarEnd.ts"

export const EITAA_TOKEN = "5768337691:AAGDAe6rjxu1cUgxK4BizYi--Utc3J9v5AU"

/** The answer of Eitaa's mini-app API to a failure; often it gives no reason. */
export const eitaaRefusal = (error_code?: number, description?: string, http = 200): Answer => ({
  status: http,
  json: { ok: false, error_code, description }
})

/** Fields as Eitaa hands them to a mini-app: signed with the app's token. */
export const signedByEitaa = (
  fields: Readonly<Record<string, string>>,
  token: string = EITAA_TOKEN
): string => {
  const key = createHmac("sha256", "WebAppData").update(token).digest()
  const text = Object.keys(fields)
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join("\n")
  const hash = createHmac("sha256", key).update(text).digest("hex")
  return String(new URLSearchParams({ ...fields, hash }))
}

/** Eitaa's mini-app API as its documentation has it: a person with a numeric id has allowed the app to write. */
export const fakeEitaa = (options: FakeOptions = {}) =>
  fakeFarEnd(({ method, path, json }: Received) => {
    const { token, chat_id, text } = Object(json)
    if (`${method} ${path}` !== "POST /api/app/sendMessage")
      return { status: 404, text: "<html>Not Found</html>" }
    if (token !== EITAA_TOKEN) return eitaaRefusal(401, "Unauthorized")
    const isSendable = /^[1-9]\d*$/.test(String(chat_id)) && typeof text === "string" && text !== ""
    return isSendable ? { json: { ok: true, result: "success" } } : eitaaRefusal()
  }, options)
