import { overviewPages } from "./pages/activity/OverviewPage.ts"
import { sessionPages } from "./pages/session/SessionPages.ts"

/** Every page of the console, one line a file. */
export const sections = [
  sessionPages,
  // Activity
  overviewPages
  // Set-up
  // Developers
  // Money
  // People
]
