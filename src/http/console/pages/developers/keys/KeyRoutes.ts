import type { ConsolePages } from "../../../ConsolePages.ts"
import { change, page, writerPage } from "../../../frame/SignedRoutes.ts"
import { changeKey, revokeKey, rotateKey } from "./KeyChanges.ts"
import { showKey } from "./KeyPage.ts"
import { KEYS_PATH, NEW_KEY_PATH, showKeys } from "./KeysPage.ts"
import { createKey, showNewKey } from "./NewKeyPage.ts"

const KEY_PATH = `${KEYS_PATH}/:id` as const

/** Service keys. */
export const keyPages = {
  name: "keys",
  routes: [
    page(KEYS_PATH, showKeys),
    writerPage(NEW_KEY_PATH, showNewKey),
    change(NEW_KEY_PATH, createKey),
    page(KEY_PATH, showKey),
    change(KEY_PATH, changeKey),
    change(`${KEY_PATH}/rotate`, rotateKey),
    change(`${KEY_PATH}/revoke`, revokeKey)
  ]
} as const satisfies ConsolePages
