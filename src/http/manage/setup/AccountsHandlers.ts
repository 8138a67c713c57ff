import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AccountFinding, checkResultOf } from "../../../domain/account/AccountFinding.ts"
import { type AccountConnection, Accounts } from "../../../services/resources/accounts/Accounts.ts"
import {
  accountEntry,
  auditedChange,
  examineFirst
} from "../../../services/resources/accounts/AccountWrites.ts"
import { Api } from "../../Api.ts"
import { orEnvelope } from "../../errors/Envelope.ts"
import { CurrentActor } from "../access/ManageAuth.ts"
import {
  answerResource,
  expectedVersion,
  makePreparedWrite,
  makeWrite,
  pageRequest,
  toWirePage
} from "../wire/ManageWire.ts"
import { toAccount } from "../wire/SetUpWire.ts"
import { makeContactHandlers } from "./AccountContactHandlers.ts"
import { makeInboxHandlers } from "./AccountInboxHandlers.ts"

/** For those whom a provider refuses. */
const NOT_CHECKED = '"check": false connects it anyway'

export const AccountsHandlers = HttpApiBuilder.group(
  Api,
  "accounts",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const write = yield* makeWrite
    const preparedWrite = yield* makePreparedWrite

    /**
     * Connects an account unless its provider refuses it. If the provider cannot be asked, the account is connected.
     */
    const examine = (customerId: number, account: AccountConnection, checks: boolean | null | undefined) =>
      checks === false
        ? Effect.succeed(undefined)
        : Effect.provideService(examineFirst(customerId, account, NOT_CHECKED), Accounts, accounts)

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        const page = yield* accounts.list(actor.customerId, {
          ...pageRequest("accounts", query),
          channel: query.channel,
          active: query.active === undefined ? undefined : query.active === "true"
        })
        return toWirePage("accounts", page, toAccount)
      }),

      connect: Effect.fnUntraced(function* ({ payload }) {
        const { channel, provider, label, settings, check } = payload
        const { actor } = yield* CurrentActor
        const isDefault = payload.default ?? false
        return yield* preparedWrite(
          { operation: "account.connect", status: 201, idempotentBody: payload },
          examine(actor.customerId, { channel, provider, settings }, check),
          (finding) =>
            Effect.map(
              accounts.connect(actor.customerId, { channel, provider, label, settings, isDefault, finding }),
              (account) => ({
                body: {
                  ...toAccount(account),
                  check: checkResultOf(finding ?? AccountFinding.CannotBeChecked())
                },
                audit: accountEntry("connect", account.id, { channel, provider, label })
              })
            )
        ).pipe(orEnvelope)
      }),

      read: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        const found = accounts.find(actor.customerId, params.id)
        return yield* orEnvelope(Effect.map(found, (account) => answerResource(toAccount(account))))
      }),

      update: Effect.fnUntraced(function* ({ params, payload }) {
        const { actor } = yield* CurrentActor
        const { check, gap_ms: gapMillis, per_minute: perMinute } = payload
        const settings = payload.settings ?? undefined
        return yield* Effect.gen(function* () {
          const { channel, provider } = yield* accounts.find(actor.customerId, params.id)
          const finding =
            settings === undefined
              ? undefined
              : yield* examine(actor.customerId, { channel, provider, settings }, check)
          const version = yield* expectedVersion
          const change = {
            label: payload.label ?? undefined,
            settings,
            finding,
            isDefault: payload.default ?? undefined,
            active: payload.active ?? undefined,
            gapMillis,
            perMinute
          }
          return yield* write(
            { operation: "account.update", status: 200 },
            Effect.map(accounts.update(actor.customerId, params.id, change, version), (account) => ({
              body: toAccount(account),
              audit: accountEntry("update", account.id, auditedChange(change))
            }))
          )
        }).pipe(orEnvelope)
      }),

      remove: ({ params }) =>
        write(
          { operation: "account.remove", status: 204 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            yield* accounts.remove(actor.customerId, params.id, yield* expectedVersion)
            return { body: null, audit: accountEntry("remove", params.id) }
          })
        ).pipe(orEnvelope),

      standby: ({ params, payload }) =>
        write(
          { operation: "account.standby", status: 200 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const { account_ids: standby } = payload
            const version = yield* expectedVersion
            const account = yield* accounts.update(actor.customerId, params.id, { standby }, version)
            return { body: toAccount(account), audit: accountEntry("update", account.id, { standby }) }
          })
        ).pipe(orEnvelope),

      check: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        return yield* orEnvelope(Effect.map(accounts.check(actor.customerId, params.id), checkResultOf))
      }),

      ...(yield* makeInboxHandlers),
      ...(yield* makeContactHandlers)
    })
  })
)
