import { Context } from "effect"

/** Compares addresses with networks. */
export class Networks extends Context.Service<
  Networks,
  { readonly isIn: (ip: string | null, networks: ReadonlyArray<string>) => boolean }
>()("peyk/services/guard/Networks") {}
