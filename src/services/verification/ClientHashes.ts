import { Context } from "effect"
import type { Client, HashedClient } from "../../domain/people/Client.ts"

/** Turns what a customer says about a device into what may be stored. */
export class ClientHashes extends Context.Service<
  ClientHashes,
  {
    /** Keyed hashes, which are the same for all customers. Null if nothing was said. */
    readonly of: (client: Client) => HashedClient | null
  }
>()("peyk/services/verification/ClientHashes") {}
