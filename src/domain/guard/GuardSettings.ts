import { Result, Schema } from "effect"
import { fieldError, type ValidationError } from "../Errors.ts"
import { plainAddress } from "../Networks.ts"
import { parsePhone } from "../Phone.ts"
import { problem } from "../Problem.ts"
import { bareNumber, pasted } from "../text/PastedText.ts"

/** `record` counts what would be refused; `enforcing` refuses it; `off` does neither. */
export const GuardMode = Schema.Literals(["off", "record", "enforcing"])
export type GuardMode = typeof GuardMode.Type

export const DEFAULT_MODE: GuardMode = "record"

const Amount = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))

export const GuardSettings = Schema.Struct({
  mode: GuardMode,
  /** The customer's own budget of unverified codes in an hour; 0: none; null: by its usual traffic. */
  unverifiedHour: Schema.NullOr(Amount),
  /** The price of one SMS to the customer, in rials: for the report of what was saved. */
  smsPrice: Schema.NullOr(Amount)
})
export type GuardSettings = typeof GuardSettings.Type

export const defaultGuard: GuardSettings = { mode: DEFAULT_MODE, unverifiedHour: null, smsPrice: null }

export const GuardList = Schema.Literals(["allow", "deny"])
export type GuardList = typeof GuardList.Type

export const EntryType = Schema.Literals(["phone", "prefix", "ip"])
export type EntryType = typeof EntryType.Type

/** One entry of a customer's allow or deny list. */
export const GuardEntry = Schema.Struct({ list: GuardList, type: EntryType, value: Schema.String })
export type GuardEntry = typeof GuardEntry.Type

/** Entries of both lists together. */
export const MAX_ENTRIES = 1000

/** The beginning of a mobile number, in any of the forms of a phone. */
const PREFIX = /^(?:0|\+98|0098)?(9\d{1,9})$/

const prefixValue = (value: string): Result.Result<string, ValidationError> => {
  const national = PREFIX.exec(bareNumber(value))?.[1]
  return national === undefined
    ? Result.fail(fieldError("value", problem("not_prefix", { example: "0912345" })))
    : Result.succeed(`+98${national}`)
}

/** An address as browsers write it: IPv6 in lower case and as short as it can be. One with a zone stays as it is. */
const addressValue = (address: string): string =>
  address.includes(":") ? (URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? address) : address

const networkValue = (network: string): string => {
  const [address = "", bits] = network.split("/")
  return bits === undefined ? addressValue(plainAddress(address)) : `${addressValue(address)}/${Number(bits)}`
}

/**
 * An entry of a list in its normal form.
 *
 * @param isNetwork whether a text is an address or a network
 */
export const entryValue = (
  type: EntryType,
  value: string,
  isNetwork: (text: string) => boolean
): Result.Result<string, ValidationError> => {
  switch (type) {
    case "phone":
      return Result.mapError(parsePhone(value), () => fieldError("value", problem("not_mobile")))
    case "prefix":
      return prefixValue(value)
    case "ip": {
      const network = pasted(value)
      return isNetwork(network)
        ? Result.succeed(networkValue(network))
        : Result.fail(fieldError("value", problem("not_network", { example: "10.0.0.0/8" })))
    }
  }
}
