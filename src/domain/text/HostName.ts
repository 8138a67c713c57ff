import { Schema } from "effect"
import { problem } from "../Problem.ts"
import { refusing } from "../SchemaProblems.ts"

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"

/** A domain name in lower case, without scheme, port or final dot. */
export const HostName = Schema.String.check(
  Schema.isMaxLength(253),
  Schema.isPattern(
    new RegExp(`^(?:${LABEL}\\.)+${LABEL}$`),
    refusing(problem("not_host_name", { example: "shop.example.ir" }))
  )
)
