import { Result } from "effect"
import { parse } from "lossless-json"

const exactNumber = (text: string): number | string =>
  /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? text : Number(text)

/** As Node's parser does. */
const last = ({ newValue }: { readonly newValue: unknown }) => newValue

/** Text without a long number, as nearly all is, means the same to Node's parser, which takes a tenth of the time. */
const LONG_NUMBER = /\d{16}/
/** Longer text may be nested deeper than the reader can follow. */
const MAX_PLAIN_LENGTH = 4096

/** Reads JSON whose ids can exceed what a number holds exactly: such integers become strings. */
export const readExactJson = (text: string): Result.Result<unknown, unknown> =>
  Result.try((): unknown =>
    text.length > MAX_PLAIN_LENGTH || LONG_NUMBER.test(text)
      ? parse(text, null, { parseNumber: exactNumber, onDuplicateKey: last })
      : JSON.parse(text)
  )
