/** `node test/console/browser/find.ts`: prints where the browser is that the tests use; fails where there is none. */
import { findChromium, NO_BROWSER } from "./kit/Chromium.ts"

const found = findChromium()
console.log(found ?? NO_BROWSER)
process.exitCode = found === undefined ? 1 : 0
