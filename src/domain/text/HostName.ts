import { Schema } from "effect"
import { problem } from "../Problem.ts"
import { refusing } from "../SchemaProblems.ts"

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"

const HOST = `(?:${LABEL}\\.)+${LABEL}`
const MAX_HOST_LENGTH = 253

/** A domain name in lower case, without scheme, port or final dot. */
export const HostName = Schema.String.check(
  Schema.isMaxLength(MAX_HOST_LENGTH),
  Schema.isPattern(
    new RegExp(`^${HOST}$`),
    refusing(problem("not_host_name", { example: "shop.example.ir" }))
  )
)

const SCHEME = "https://"

/** A site as `https://` and its host name. Browsers read no other scheme, and no port, from the line of a text. */
export const SiteOrigin = Schema.String.check(
  Schema.isMaxLength(SCHEME.length + MAX_HOST_LENGTH),
  Schema.isPattern(
    new RegExp(`^${SCHEME}${HOST}$`),
    refusing(problem("not_site_origin", { example: "https://shop.example.ir" }))
  )
)

export const hostOfOrigin = (origin: string): string => origin.slice(SCHEME.length)
