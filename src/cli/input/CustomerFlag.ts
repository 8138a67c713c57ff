import { Effect } from "effect"
import { Flag } from "effect/cli"
import { CustomerRecords } from "../../services/customer/CustomerRecords.ts"
import { CommandError } from "../output/CommandError.ts"

/** `--customer ID`, for every command about one customer. */
export const customerFlag = Flag.Int("customer").pipe(Flag.withDescription("The customer's id"))

export const noCustomer = (id: number) => new CommandError({ message: `there is no customer ${id}` })

/** Fails if there is no such customer. Customers are never deleted, so later statements can rely on it. */
export const requireCustomer = (id: number) =>
  Effect.flatMap(CustomerRecords, ({ find }) => Effect.mapError(find(id), () => noCustomer(id)))
