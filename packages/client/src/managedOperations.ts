/** Made from openapi.json by `npm run generate`. */

export interface ManagedOperation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly isList?: true
  readonly isIdempotent?: true
  readonly hasBody?: true
}

export const managedOperations = {
  "api-keys.list": {
    method: "GET",
    path: "/v1/manage/api-keys",
    isList: true
  },
  "api-keys.create": {
    method: "POST",
    path: "/v1/manage/api-keys",
    isIdempotent: true,
    hasBody: true
  },
  "api-keys.read": {
    method: "GET",
    path: "/v1/manage/api-keys/{id}"
  },
  "api-keys.update": {
    method: "PATCH",
    path: "/v1/manage/api-keys/{id}",
    hasBody: true
  },
  "api-keys.revoke": {
    method: "DELETE",
    path: "/v1/manage/api-keys/{id}"
  },
  "api-keys.rotate": {
    method: "POST",
    path: "/v1/manage/api-keys/{id}/rotate",
    isIdempotent: true,
    hasBody: true
  },
  "accounts.list": {
    method: "GET",
    path: "/v1/manage/accounts",
    isList: true
  },
  "accounts.connect": {
    method: "POST",
    path: "/v1/manage/accounts",
    isIdempotent: true,
    hasBody: true
  },
  "accounts.read": {
    method: "GET",
    path: "/v1/manage/accounts/{id}"
  },
  "accounts.update": {
    method: "PATCH",
    path: "/v1/manage/accounts/{id}",
    hasBody: true
  },
  "accounts.remove": {
    method: "DELETE",
    path: "/v1/manage/accounts/{id}"
  },
  "accounts.standby": {
    method: "PUT",
    path: "/v1/manage/accounts/{id}/standby",
    hasBody: true
  },
  "accounts.check": {
    method: "POST",
    path: "/v1/manage/accounts/{id}/check"
  },
  "accounts.inbox": {
    method: "GET",
    path: "/v1/manage/accounts/{id}/inbox"
  },
  "accounts.rotateInbox": {
    method: "POST",
    path: "/v1/manage/accounts/{id}/inbox/rotate"
  },
  "accounts.contacts": {
    method: "GET",
    path: "/v1/manage/accounts/{id}/contacts",
    isList: true
  },
  "accounts.importContacts": {
    method: "PUT",
    path: "/v1/manage/accounts/{id}/contacts",
    hasBody: true
  },
  "accounts.removeContact": {
    method: "DELETE",
    path: "/v1/manage/accounts/{id}/contacts/{phone}"
  },
  "routing.read": {
    method: "GET",
    path: "/v1/manage/routing"
  },
  "routing.save": {
    method: "PUT",
    path: "/v1/manage/routing",
    hasBody: true
  },
  "routing.versions": {
    method: "GET",
    path: "/v1/manage/routing/versions",
    isList: true
  },
  "routing.restore": {
    method: "POST",
    path: "/v1/manage/routing/versions/{id}/restore"
  },
  "templates.list": {
    method: "GET",
    path: "/v1/manage/templates",
    isList: true
  },
  "templates.create": {
    method: "POST",
    path: "/v1/manage/templates",
    isIdempotent: true,
    hasBody: true
  },
  "templates.read": {
    method: "GET",
    path: "/v1/manage/templates/{id}"
  },
  "templates.update": {
    method: "PATCH",
    path: "/v1/manage/templates/{id}",
    hasBody: true
  },
  "templates.remove": {
    method: "DELETE",
    path: "/v1/manage/templates/{id}"
  },
  "verifications.list": {
    method: "GET",
    path: "/v1/manage/verifications",
    isList: true
  },
  "verifications.read": {
    method: "GET",
    path: "/v1/manage/verifications/{id}"
  },
  "managed-messages.list": {
    method: "GET",
    path: "/v1/manage/messages",
    isList: true
  },
  "managed-messages.read": {
    method: "GET",
    path: "/v1/manage/messages/{id}"
  },
  "phones.erase": {
    method: "POST",
    path: "/v1/manage/phones/erase",
    hasBody: true
  },
  "usage.report": {
    method: "GET",
    path: "/v1/manage/usage"
  },
  "insights.report": {
    method: "GET",
    path: "/v1/manage/insights"
  },
  "managed-account.read": {
    method: "GET",
    path: "/v1/manage/account"
  },
  "wallet.read": {
    method: "GET",
    path: "/v1/manage/wallet"
  },
  "wallet.holds": {
    method: "GET",
    path: "/v1/manage/wallet/holds",
    isList: true
  },
  "wallet.ledger": {
    method: "GET",
    path: "/v1/manage/wallet/ledger",
    isList: true
  },
  "wallet.budget": {
    method: "GET",
    path: "/v1/manage/wallet/budget"
  },
  "wallet.saveBudget": {
    method: "PATCH",
    path: "/v1/manage/wallet/budget",
    hasBody: true
  },
  "statements.read": {
    method: "GET",
    path: "/v1/manage/statements/{month}"
  },
  "audit-log.list": {
    method: "GET",
    path: "/v1/manage/audit-log",
    isList: true
  },
  "webhooks.list": {
    method: "GET",
    path: "/v1/manage/webhooks",
    isList: true
  },
  "webhooks.create": {
    method: "POST",
    path: "/v1/manage/webhooks",
    isIdempotent: true,
    hasBody: true
  },
  "webhooks.read": {
    method: "GET",
    path: "/v1/manage/webhooks/{id}"
  },
  "webhooks.update": {
    method: "PATCH",
    path: "/v1/manage/webhooks/{id}",
    hasBody: true
  },
  "webhooks.remove": {
    method: "DELETE",
    path: "/v1/manage/webhooks/{id}"
  },
  "webhooks.test": {
    method: "POST",
    path: "/v1/manage/webhooks/{id}/test",
    isIdempotent: true
  },
  "webhooks.rotateSecret": {
    method: "POST",
    path: "/v1/manage/webhooks/{id}/rotate-secret",
    isIdempotent: true
  },
  "webhooks.retryFailed": {
    method: "POST",
    path: "/v1/manage/webhooks/{id}/retry-failed",
    isIdempotent: true
  },
  "webhooks.deliveries": {
    method: "GET",
    path: "/v1/manage/webhooks/{id}/deliveries",
    isList: true
  },
  "webhooks.replay": {
    method: "POST",
    path: "/v1/manage/webhooks/{id}/deliveries/{event_id}/replay",
    isIdempotent: true
  },
  "webhooks.replaySince": {
    method: "POST",
    path: "/v1/manage/webhooks/{id}/replay",
    isIdempotent: true,
    hasBody: true
  },
  "alerts.list": {
    method: "GET",
    path: "/v1/manage/alerts",
    isList: true
  },
  "alerts.settings": {
    method: "GET",
    path: "/v1/manage/alerts/settings"
  },
  "alerts.saveSettings": {
    method: "PATCH",
    path: "/v1/manage/alerts/settings",
    hasBody: true
  },
  "alerts.recipients": {
    method: "GET",
    path: "/v1/manage/alerts/recipients"
  },
  "alerts.addRecipient": {
    method: "POST",
    path: "/v1/manage/alerts/recipients",
    isIdempotent: true,
    hasBody: true
  },
  "alerts.confirmRecipient": {
    method: "POST",
    path: "/v1/manage/alerts/recipients/{id}/confirm",
    hasBody: true
  },
  "alerts.testRecipient": {
    method: "POST",
    path: "/v1/manage/alerts/recipients/{id}/test",
    isIdempotent: true
  },
  "alerts.removeRecipient": {
    method: "DELETE",
    path: "/v1/manage/alerts/recipients/{id}"
  },
  "guard.read": {
    method: "GET",
    path: "/v1/manage/guard"
  },
  "guard.replace": {
    method: "PUT",
    path: "/v1/manage/guard",
    hasBody: true
  },
  "guard.update": {
    method: "PATCH",
    path: "/v1/manage/guard",
    hasBody: true
  },
  "guard.alarms": {
    method: "GET",
    path: "/v1/manage/guard/alarms",
    isList: true
  },
  "guard.clear": {
    method: "POST",
    path: "/v1/manage/guard/alarms/{alarm_id}/clear"
  },
  "guard.entries": {
    method: "GET",
    path: "/v1/manage/guard/{list}",
    isList: true
  },
  "guard.add": {
    method: "POST",
    path: "/v1/manage/guard/{list}",
    isIdempotent: true,
    hasBody: true
  },
  "guard.remove": {
    method: "DELETE",
    path: "/v1/manage/guard/{list}/{type}/{value}"
  },
  "tokens.list": {
    method: "GET",
    path: "/v1/manage/tokens",
    isList: true
  },
  "tokens.create": {
    method: "POST",
    path: "/v1/manage/tokens",
    isIdempotent: true,
    hasBody: true
  },
  "tokens.read": {
    method: "GET",
    path: "/v1/manage/tokens/{id}"
  },
  "tokens.revoke": {
    method: "DELETE",
    path: "/v1/manage/tokens/{id}"
  },
  "users.list": {
    method: "GET",
    path: "/v1/manage/users",
    isList: true
  },
  "users.create": {
    method: "POST",
    path: "/v1/manage/users",
    isIdempotent: true,
    hasBody: true
  },
  "users.read": {
    method: "GET",
    path: "/v1/manage/users/{id}"
  },
  "users.update": {
    method: "PATCH",
    path: "/v1/manage/users/{id}",
    hasBody: true
  },
  "users.password": {
    method: "PUT",
    path: "/v1/manage/users/{id}/password",
    hasBody: true
  },
  "users.resetSecondFactor": {
    method: "DELETE",
    path: "/v1/manage/users/{id}/second-factor"
  },
  "me.read": {
    method: "GET",
    path: "/v1/manage/me"
  },
  "me.update": {
    method: "PATCH",
    path: "/v1/manage/me",
    hasBody: true
  }
} as const satisfies Readonly<Record<string, ManagedOperation>>

export type ManagedId = keyof typeof managedOperations
