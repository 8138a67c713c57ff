import { channelPages } from "./account/ChannelRoutes.ts"
import { sharedAccountPages } from "./account/SharedRoutes.ts"
import { auditPages } from "./activity/AuditPage.ts"
import { overviewPages } from "./activity/OverviewPage.ts"
import { allRequestPages, requestPages } from "./activity/RequestRoutes.ts"
import { customerPages } from "./customer/CustomerRoutes.ts"
import { settingsPages } from "./customer/SettingsPage.ts"
import { guardPages } from "./guard/GuardPage.ts"
import { keyPages } from "./key/KeyRoutes.ts"
import { tokenPages } from "./key/TokenRoutes.ts"
import { messagePages } from "./message/MessagePage.ts"
import { messagesPages } from "./message/MessagesPage.ts"
import { templatePages } from "./message/TemplateRoutes.ts"
import { usagePages } from "./money/UsagePage.ts"
import { walletPages } from "./money/WalletPage.ts"
import { routingPages } from "./routing/RoutingPage.ts"
import { healthPages } from "./system/HealthPage.ts"
import { sessionPages } from "./user/SignInPages.ts"
import { userPages } from "./user/UserRoutes.ts"
import { testPages } from "./verification/TestPages.ts"
import { verificationPages } from "./verification/VerificationPage.ts"
import { verificationsPages } from "./verification/VerificationsPage.ts"
import { webhookPages } from "./webhook/WebhookRoutes.ts"

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
