import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { RoutingStep } from "../../domain/people/Customer.ts"
import { fieldError, PreconditionFailed } from "../../domain/Errors.ts"
import { RoutingOrders } from "../../services/resources/RoutingOrders.ts"
import { routingOrders } from "../management/RoutingOrders.ts"
import { lockCustomer } from "../management/RequireCustomer.ts"
import { rowsOf } from "../postgres/SqlRows.ts"

const RoutingRow = Schema.Struct({ steps: Schema.Array(RoutingStep), version: Schema.Int })

const NOTHING_SAVED = { steps: [], version: 0 }

export const RoutingOrdersSql = Layer.effect(
  RoutingOrders,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const orders = routingOrders(sql)
    const routingRows = rowsOf(RoutingRow)

    const find = (customerId: number) =>
      Effect.map(
        routingRows(sql`select steps, version from routing_orders where customer_id = ${customerId}`),
        ([row]) => row ?? NOTHING_SAVED
      )

    return RoutingOrders.of({
      find,
      // In the transaction of the write, others that save wait.
      save: Effect.fnUntraced(function* (customerId, steps, version) {
        yield* Effect.orDie(lockCustomer(sql, customerId))
        const saved = yield* find(customerId)
        if (version !== null && saved.version !== version) {
          return yield* new PreconditionFailed({ details: { version: saved.version } })
        }
        yield* Effect.catchTag(orders.save(customerId, steps), "ManagementError", ({ message }) =>
          Effect.fail(fieldError("steps", message))
        )
        return yield* find(customerId)
      })
    })
  })
)
