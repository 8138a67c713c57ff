import { Result } from "effect"
import { parse } from "lossless-json"

const exactNumber = (text: string): number | string =>
  /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? text : Number(text)

/** Reads JSON whose ids can exceed what a number holds exactly: such integers become strings. */
export const readExactJson = (text: string): Result.Result<unknown, unknown> =>
  Result.try(() => parse(text, null, exactNumber))
