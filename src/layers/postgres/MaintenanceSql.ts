import type { PgConnection } from "@effect/sql-pg"
import { Context, type Effect, type Queue, type Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** For what a process asks for itself: to be notified of changes, what time it is, whether the store takes writes. */
export class MaintenanceSql extends Context.Service<
  MaintenanceSql,
  {
    readonly sql: SqlClient.SqlClient
    readonly listen: (
      channel: string
    ) => Effect.Effect<
      Queue.Dequeue<PgConnection.Notification, SqlError.SqlError>,
      SqlError.SqlError,
      Scope.Scope
    >
    /** Closes the connections, whatever is under way on them. */
    readonly closeAll: Effect.Effect<void>
  }
>()("peyk/layers/postgres/MaintenanceSql") {}
