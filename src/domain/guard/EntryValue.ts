import { Result } from "effect"
import { plainAddress } from "../people/Networks.ts"
import { bareNumber, pasted } from "../text/PastedText.ts"
import { fieldError, type ValidationError } from "../Errors.ts"
import { parsePhone } from "../Phone.ts"
import type { EntryType } from "./GuardSettings.ts"
import { problem } from "../Problem.ts"

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
