import type { PgConnection } from "@effect/sql-pg"
import { Context, type Effect, type Queue, type Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** The connections for the process's own needs: notifications, the store's clock, whether it accepts writes. */
export class MaintenanceSql extends Context.Service<
  MaintenanceSql,
  {
    readonly sql: SqlClient.SqlClient
    /** Whether a pooler is between this process and PostgreSQL. */
    readonly isPooled: boolean
    /** Null behind a pooler, where no session belongs to this process. */
    readonly listen:
      | ((
          channel: string
        ) => Effect.Effect<
          Queue.Dequeue<PgConnection.Notification, SqlError.SqlError>,
          SqlError.SqlError,
          Scope.Scope
        >)
      | null
    /** Closes the connections that listen, whatever runs on them. */
    readonly closeAll: Effect.Effect<void>
  }
>()("peyk/layers/postgres/MaintenanceSql") {}
