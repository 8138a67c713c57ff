import { Schema } from "effect"

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"

/** A domain name in lower case, without scheme, port or final dot. */
export const HostName = Schema.String.check(
  Schema.isMaxLength(253),
  Schema.isPattern(new RegExp(`^(?:${LABEL}\\.)+${LABEL}$`), {
    message: "Expected a host name, such as shop.example.ir"
  })
)
