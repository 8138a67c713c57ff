import { Schema } from "effect"
import { isIP } from "node:net"
import { isBlank, isMisleading, TrimmedName } from "../../../domain/text/VisibleText.ts"
import { isStorable, NOT_STORABLE } from "../../../domain/text/StorableText.ts"
import { TemplateBody } from "../../../domain/message/Template.ts"

/** ISO 8601 in UTC, with milliseconds, as in responses. */
export const Timestamp = Schema.String.annotate({ description: "ISO 8601 in UTC", format: "date-time" })

export const MISLEADING_NAME =
  "Expected one line, without control characters and without characters that change the direction of text"

/** A name for people. */
export const Name = TrimmedName.check(
  Schema.makeFilter(
    (text: string) =>
      (!isBlank(text) && text.length <= 100 && isStorable(text)) || "Expected 1 to 100 characters"
  ),
  Schema.makeFilter((text: string) => !isMisleading(text) || MISLEADING_NAME)
)

const isNetwork = (text: string): boolean => {
  const [address = "", prefix, ...rest] = text.split("/")
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128)
}

/** An address, or a network in CIDR notation. */
export const IpNetwork = Schema.String.check(
  Schema.makeFilter(
    (text: string) => isNetwork(text) || "Expected an IP address or a network such as 10.0.0.0/8"
  )
)

/** A template's text. */
export const TemplateText = TemplateBody.check(
  Schema.makeFilter((text: string) => isStorable(text) || NOT_STORABLE),
  Schema.makeFilter((text: string) => text === "" || !isBlank(text) || "Expected text that can be seen")
)
