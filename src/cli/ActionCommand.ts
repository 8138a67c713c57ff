import { Clock, Effect, Option, type Schema } from "effect"
import { Command, type Flag } from "effect/cli"
import { about, operate, withManagement } from "./CommandContext.ts"
import { customerFlag, requireCustomer } from "./input/Flags.ts"
import { type ActionRefusal, type CommandError, refusedAction, refusedOf } from "./output/CommandError.ts"
import { type Fields, listAll, printMany } from "./output/Output.ts"
import type { NotFound } from "../domain/Errors.ts"
import type { Instant } from "../domain/Instant.ts"
import type { Page, PageRequest } from "../domain/Paging.ts"
import type { StartupError } from "../layers/system/StartupError.ts"
import type { Action } from "../services/Action.ts"

type Config = Command.Command.Config
type Given<Flags extends Config> = Command.Command.Config.Infer<Flags>

/** What one call of a command acts on. */
export interface Subject<Target, Owner = number | null> {
  /** In whose audit log the entry is; null: the platform's. */
  readonly customer: Owner
  readonly target: Target
  readonly refused: (error: ActionRefusal) => CommandError
}

/** How a command's flags name what it acts on. */
interface SubjectFlags<Flags extends Config, Target, R, Owner = number | null> {
  readonly flags: Flags
  readonly find: (given: Given<Flags>) => Effect.Effect<Subject<Target, Owner>, CommandError, R>
}

/** The installation as a whole; `what` stands in a refusal. */
export const installation = (what: string) => ({
  flags: {},
  find: () => Effect.succeed({ customer: null, target: undefined, refused: refusedAction(what) })
})

/** The customer of `--customer`: for what creates something, or changes the customer itself. */
export const ofCustomer = {
  flags: { customer: customerFlag },
  find: ({ customer }: { readonly customer: number }) =>
    Effect.as(requireCustomer(customer), {
      customer,
      target: undefined,
      refused: refusedAction(`customer ${customer}`)
    })
}

/** One thing of any customer, by the id that its flag gives: `name` stands in a refusal. */
export const oneOf = <Id extends number | string, Owner extends number | null, R>(
  name: string,
  flag: Flag.Flag<Id>,
  ownerOf: (id: Id) => Effect.Effect<Owner, NotFound, R>
) => ({
  flags: { id: flag },
  find: ({ id }: { readonly id: Id }) => {
    const refused = refusedAction(`${name} ${id}`)
    return Effect.mapBoth(ownerOf(id), {
      onFailure: refused,
      onSuccess: (customer) => ({ customer, target: id, refused })
    })
  }
})

/** One thing of the customer of `--customer`. */
export const oneOfCustomer = <Id extends number | string>(name: string, flag: Flag.Flag<Id>) => ({
  flags: { customer: customerFlag, id: flag },
  find: ({ customer, id }: { readonly customer: number; readonly id: Id }) =>
    Effect.succeed({ customer, target: id, refused: refusedOf(customer, `${name} ${id}`) })
})

/** Flags by the names of an input's fields, as this input: an option that was left out has no field. */
export const asInput = (given: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([field, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (!Option.isOption(value)) return [[field, value]]
      return Option.isSome(value) ? [[field, value.value]] : []
    })
  )

interface ActionFlags<Flags extends Config, Target, Owner, A, E, IR, PE, PR> {
  /** By the names of the input's fields, unless `input` says how they become it. */
  readonly flags?: Flags
  readonly input?: (
    given: Given<Flags>,
    subject: Subject<Target, Owner>
  ) => Effect.Effect<object, CommandError, IR>
  /** What it says of a refusal, if not what the subject says. */
  readonly refused?: (error: E, given: Given<Flags>, subject: Subject<Target, Owner>) => CommandError
  readonly print: (
    result: A,
    subject: Subject<Target, Owner>,
    given: Given<Flags>
  ) => Effect.Effect<void, PE, PR>
}

/** A command that performs an action in the operator's name, and prints its result. */
export const actionCommand = <
  const Name extends string,
  SubjectConfig extends Config,
  Target,
  SR,
  Owner extends number | null,
  Input extends Schema.Decoder<unknown>,
  A,
  E extends ActionRefusal,
  R,
  IR = never,
  PE extends StartupError | CommandError = never,
  PR = never,
  Flags extends Config = {}
>(
  name: Name,
  description: string,
  performed: Action<Input, Target, A, E, R>,
  subject: SubjectFlags<SubjectConfig, Target, SR, Owner>,
  { flags, input, refused, print }: ActionFlags<Flags, Target, Owner, A, E, IR, PE, PR>
) =>
  Command.make(name, { subject: subject.flags, given: flags ?? {} }, (parsed) =>
    withManagement(
      Effect.gen(function* () {
        const given = parsed.given as Given<Flags>
        const found = yield* subject.find(parsed.subject as Given<SubjectConfig>)
        const fields = input === undefined ? asInput(parsed.given) : yield* input(given, found)
        const operation = operate(performed, { ...found, input: fields })
        const result = yield* Effect.mapError(operation, (error) =>
          refused === undefined ? found.refused(error) : refused(error as E, given, found)
        )
        yield* about(found.customer, print(result, found, given))
      })
    )
  ).pipe(Command.withDescription(description))

/** A command that prints what its flags name. */
export const showCommand = <
  SubjectConfig extends Config,
  Target,
  SR,
  Owner extends number | null,
  E extends CommandError,
  R
>(
  description: string,
  subject: SubjectFlags<SubjectConfig, Target, SR, Owner>,
  printOf: (found: Subject<Target, Owner>) => Effect.Effect<void, E, R>
) =>
  Command.make("show", { subject: subject.flags }, (parsed) =>
    withManagement(
      Effect.gen(function* () {
        const found = yield* subject.find(parsed.subject as Given<SubjectConfig>)
        yield* about(found.customer, printOf(found))
      })
    )
  ).pipe(Command.withDescription(description))

/** A command that prints something of the customer of `--customer`. */
export const customerCommand = <const Name extends string, E extends CommandError, R>(
  name: Name,
  description: string,
  printOf: (customer: number) => Effect.Effect<void, E, R>
) =>
  Command.make(name, ofCustomer.flags, ({ customer }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        yield* about(customer, printOf(customer))
      })
    )
  ).pipe(Command.withDescription(description))

/** Prints every row of a list, in the order of the list, or the other way round. */
export const printAll = Effect.fnUntraced(function* <A, E, R>(
  list: (part: PageRequest) => Effect.Effect<Page<A>, E, R>,
  toRow: (item: A, now: Instant) => Fields,
  order: "asListed" | "reversed" = "asListed"
) {
  const items = yield* listAll(list)
  const now = yield* Clock.currentTimeMillis
  const rows = items.map((item) => toRow(item, now))
  yield* printMany(order === "asListed" ? rows : rows.toReversed())
})
