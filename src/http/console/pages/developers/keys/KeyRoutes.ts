import type { ConsolePages } from "../../../ConsolePages.ts"
import { change, page, writerPage } from "../../../frame/SignedRoutes.ts"
import { submitKey, submitNewKey, submitRevocation, submitRotation } from "./KeyChanges.ts"
import { showKey } from "./KeyPage.ts"
import { KEYS_PATH, NEW_KEY_PATH, showKeys } from "./KeysPage.ts"
import { showNewKey } from "./NewKeyPage.ts"

const KEY_PATH = `${KEYS_PATH}/:id` as const

/** Service keys. */
export const keyPages = {
  name: "keys",
  routes: [
    page(KEYS_PATH, showKeys),
    writerPage(NEW_KEY_PATH, showNewKey),
    change(NEW_KEY_PATH, submitNewKey),
    page(KEY_PATH, showKey),
    change(KEY_PATH, submitKey),
    change(`${KEY_PATH}/rotate`, submitRotation),
    change(`${KEY_PATH}/revoke`, submitRevocation)
  ]
} as const satisfies ConsolePages
