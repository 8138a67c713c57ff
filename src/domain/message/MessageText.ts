import { Result } from "effect"
import { MessageRequired, MessageTooLong } from "../Errors.ts"
import { isBlank } from "../text/VisibleText.ts"

const MAX_TEXT_LENGTH = 1000

/** Passes a text that can be sent: not blank to a reader, at most 1000 code points. */
export const checkText = (text: string): Result.Result<string, MessageRequired | MessageTooLong> => {
  const { length } = Array.from(text)
  if (isBlank(text)) return Result.fail(new MessageRequired())
  return length <= MAX_TEXT_LENGTH
    ? Result.succeed(text)
    : Result.fail(new MessageTooLong({ details: { length, maximum: MAX_TEXT_LENGTH } }))
}
