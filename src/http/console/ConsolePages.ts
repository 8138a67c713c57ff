import type { PageName } from "./Navigation.ts"
import type { SignedRoute } from "./frame/SignedRoutes.ts"

/** The routes that one file of `pages` adds to the console. */
export interface ConsolePages {
  /** The page whose link the navigation shows from then on; null: none. */
  readonly name: PageName | null
  readonly routes: ReadonlyArray<SignedRoute<unknown>>
}
