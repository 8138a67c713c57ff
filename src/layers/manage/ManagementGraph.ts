import { Effect, Layer } from "effect"
import { Unauthenticated } from "../../domain/Errors.ts"
import { Sessions } from "../../services/manage/Sessions.ts"
import { ApiKeysHandlers } from "../../http/manage/ApiKeysHandlers.ts"
import { ManageAuthLive } from "../../http/manage/ManageAuth.ts"
import { RequireJsonLive } from "../../http/RequestGuards.ts"
import { ManagedKeysSql } from "./ManagedKeysSql.ts"
import { ManagementCredentialsLive } from "./ManagementCredentialsLive.ts"
import { ManagementWritesSql } from "./ManagementWritesSql.ts"
import { PersonalTokensSql } from "./PersonalTokensSql.ts"

const SessionsOff = Layer.succeed(Sessions, { authenticate: () => Effect.fail(new Unauthenticated()) })

const Credentials = Layer.provide(ManagementCredentialsLive, [PersonalTokensSql, SessionsOff])

/** The handlers of the management API, over the store. */
export const ManagementHandlers = Layer.mergeAll(ApiKeysHandlers).pipe(
  Layer.provide([
    Layer.provide(ManageAuthLive, Credentials),
    RequireJsonLive,
    ManagementWritesSql,
    ManagedKeysSql
  ])
)
