import { Schema, SchemaTransformation } from "effect"
import { Flag } from "effect/cli"
import { pasted } from "../../domain/text/PastedText.ts"

const PastedUuid = Schema.String.pipe(
  Schema.decode(SchemaTransformation.transform({ decode: pasted, encode: (id) => id })),
  Schema.check(Schema.isUUID())
)

/** For commands about one thing whose id is a UUID. */
export const uuidFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withSchema(PastedUuid))
