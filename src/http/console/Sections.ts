import { messagePages } from "./pages/activity/message/MessagePage.ts"
import { messagesPages } from "./pages/activity/message/MessagesPage.ts"
import { overviewPages } from "./pages/activity/overview/OverviewPage.ts"
import { verificationPages } from "./pages/activity/verification/VerificationPage.ts"
import { verificationsPages } from "./pages/activity/verification/VerificationsPage.ts"
import { testPages } from "./pages/activity/test/TestPages.ts"
import { guardPages } from "./pages/guard/GuardPage.ts"
import { keyPages } from "./pages/developers/keys/KeyRoutes.ts"
import { tokenPages } from "./pages/developers/tokens/TokenRoutes.ts"
import { allRequestPages, requestPages } from "./pages/developers/requests/RequestRoutes.ts"
import { webhookPages } from "./pages/developers/webhooks/WebhookRoutes.ts"
import { usagePages } from "./pages/money/UsagePage.ts"
import { walletPages } from "./pages/money/WalletPage.ts"
import { customerPages } from "./pages/operator/CustomerRoutes.ts"
import { healthPages } from "./pages/operator/HealthPage.ts"
import { sharedAccountPages } from "./pages/operator/shared/SharedRoutes.ts"
import { auditPages } from "./pages/people/AuditPage.ts"
import { settingsPages } from "./pages/people/SettingsPage.ts"
import { userPages } from "./pages/people/UserRoutes.ts"
import { sessionPages } from "./pages/session/SessionPages.ts"
import { channelPages } from "./pages/setup/channels/ChannelRoutes.ts"
import { routingPages } from "./pages/setup/routing/RoutingPage.ts"
import { templatePages } from "./pages/setup/templates/TemplateRoutes.ts"

/** Every page of the console, one line a file. */
export const sections = [
  sessionPages,
  // Operators
  customerPages,
  healthPages,
  sharedAccountPages,
  allRequestPages,
  // Activity
  overviewPages,
  verificationsPages,
  verificationPages,
  messagesPages,
  messagePages,
  testPages,
  // Set-up
  channelPages,
  routingPages,
  templatePages,
  guardPages,
  // Developers
  keyPages,
  tokenPages,
  webhookPages,
  requestPages,
  // Money
  walletPages,
  usagePages,
  // People
  userPages,
  auditPages,
  settingsPages
]
