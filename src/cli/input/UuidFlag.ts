import { Schema } from "effect"
import { Flag } from "effect/cli"

/** For commands about one thing whose id is a UUID. */
export const uuidFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withSchema(Schema.String.check(Schema.isUUID()))
  )
