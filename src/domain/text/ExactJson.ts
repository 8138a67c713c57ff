import { Result } from "effect"
import { parse } from "lossless-json"

const exactNumber = (text: string): number | string =>
  /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? text : Number(text)

/** Reads JSON whose ids may be longer than what a number holds exactly: such integers become strings. */
export const readExactJson = (text: string): Result.Result<unknown, unknown> =>
  Result.try(() => parse(text, null, exactNumber))
