import { Layer } from "effect"
import { SubjectIds } from "../../services/Subjects.ts"
import { AccountSkips } from "../../services/account/AccountSlots.ts"
import { BotInboxes } from "../../services/account/BotInboxes.ts"
import { Workers } from "../../services/concurrency/Workers.ts"
import { BudgetAlarms, GuardWakes } from "../../services/guard/GuardAlarms.ts"
import { CodeBudgets, GatheredGrants } from "../../services/guard/CodeBudgets.ts"
import { GuardMetrics } from "../../services/guard/Guard.ts"
import { GuardRefusals } from "../../services/guard/GuardRefusals.ts"
import { Idempotency } from "../../services/customer/Idempotency.ts"
import { RouteRecords } from "../../services/routing/RouteRecords.ts"
import { TimerPools } from "../../services/timer/TimerPools.ts"
import { Timers } from "../../services/timer/Timers.ts"
import { AccountConnectionsSql } from "../provider/ConnectedAccounts.ts"
import { AccountSkipsSql } from "../account/AccountSlotsSql.ts"
import { BotAddressesMac } from "../account/BotInboxStoreSql.ts"
import { ContactLinksSql } from "../account/ContactsSql.ts"
import { ProviderAdaptersHttp } from "../provider/ProviderAdaptersHttp.ts"
import { ApiKeysSql } from "../key/ApiKeysSql.ts"
import { CustomersSql } from "../customer/CustomersSql.ts"
import { NetworksNode } from "../guard/GuardStoreSql.ts"
import { ChangeFeed } from "../postgres/ChangeFeed.ts"
import { SetUpVersions } from "../postgres/SetUpCache.ts"
import {
  BotInboxStoreLive,
  MoveNews,
  GuardStoreLive,
  RouteRecordsLive,
  TimerStoreLive
} from "./LiveStores.ts"
import { Crypto } from "./Infrastructure.ts"
import { ClientHashesMac, CodeVaultMac } from "../crypto/Crypto.ts"

/** The guard's rules and counters. */
const GuardParts = Layer.mergeAll(
  NetworksNode,
  BudgetAlarms.layer,
  GuardRefusals.layer,
  GuardWakes.layer
).pipe(
  Layer.provideMerge(CodeBudgets.layer),
  Layer.provide(GatheredGrants.layer),
  Layer.provideMerge(GuardStoreLive),
  Layer.provideMerge(GuardMetrics.layer)
)

/**
 * The services that every composition needs, with a store that is ready. Workers come last: when the process stops they finish
 * while their leases are still renewed.
 */
export const SharedServices = Layer.mergeAll(
  Idempotency.layer,
  CodeVaultMac,
  ClientHashesMac,
  CustomersSql,
  ApiKeysSql,
  BotInboxes.layer,
  Layer.provide(AccountSkips.layer, AccountSkipsSql),
  GuardParts,
  Layer.provide(RouteRecords.layer, RouteRecordsLive),
  MoveNews
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(ContactLinksSql, AccountConnectionsSql, BotInboxStoreLive, BotAddressesMac, Workers.layer)
  ),
  Layer.provideMerge(ProviderAdaptersHttp),
  Layer.provideMerge(
    Layer.mergeAll(ChangeFeed.layer, SetUpVersions.layer, Timers.layer, TimerPools.layer, SubjectIds.layer)
  ),
  Layer.provideMerge(Layer.mergeAll(TimerStoreLive, Crypto))
)
