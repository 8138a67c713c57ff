import { Context } from "effect"

/** Whether customers' addresses can be plain http or in a private network: for development. */
export const AllowsPrivateAddresses = Context.Reference<boolean>(
  "peyk/layers/network/AddressPolicy/AllowsPrivateAddresses",
  { defaultValue: () => false }
)
