import { overviewPages } from "./pages/activity/OverviewPage.ts"
import { keyPages } from "./pages/developers/KeyRoutes.ts"
import { tokenPages } from "./pages/developers/TokensPage.ts"
import { webhookPages } from "./pages/developers/webhooks/WebhookRoutes.ts"
import { sessionPages } from "./pages/session/SessionPages.ts"

/** Every page of the console, one line a file. */
export const sections = [
  sessionPages,
  // Activity
  overviewPages,
  // Set-up
  // Developers
  keyPages,
  tokenPages,
  webhookPages
  // Money
  // People
]
