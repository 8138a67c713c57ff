import { Flag } from "effect/cli"
import { Name } from "../../domain/Fields.ts"

/** `--name`, by the API's rule for names. */
export const nameFlag = (description: string) =>
  Flag.String("name").pipe(Flag.withDescription(description), Flag.withSchema(Name))

/** The name of a key or a token whose creator gave none. */
export const UNNAMED = "command line"
