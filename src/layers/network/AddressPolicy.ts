import { Context } from "effect"

/** Whether what customers set up may be plain http, or lie in a private network: for development. */
export const AllowsPrivateAddresses = Context.Reference<boolean>(
  "peyk/layers/network/AddressPolicy/AllowsPrivateAddresses",
  { defaultValue: () => false }
)
