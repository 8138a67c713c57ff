import type { Received } from "./FakeFarEnd.ts"

export type Fields = Readonly<Record<string, unknown>>

const PART = /name="([^"]+)"(?:\r\n[^\r\n]+)*\r\n\r\n([\s\S]*?)\r\n$/

/** The fields of `multipart/form-data`; files are not of interest here. */
const multipartFields = (body: string, boundary: string): Fields =>
  Object.fromEntries(
    body.split(`--${boundary}`).flatMap((part) => {
      const [, name = "", value = ""] = PART.exec(part) ?? []
      return name === "" ? [] : [[name, value]]
    })
  )

/** The fields of a request, as bot platforms take them: in the query, a form, multipart or JSON. */
export const sentFields = ({ query, headers, body, json }: Received): Fields => {
  const type = headers["content-type"] ?? ""
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/.exec(type)?.[1]
  const isForm = type.startsWith("application/x-www-form-urlencoded")
  const sent: Fields = isForm
    ? Object.fromEntries(new URLSearchParams(body))
    : boundary === undefined
      ? { ...Object(json) }
      : multipartFields(body, boundary)
  return { ...Object.fromEntries(query), ...sent }
}
