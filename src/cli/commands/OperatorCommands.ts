import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { actionCommand, installation } from "../ActionCommand.ts"
import { operate, withManagement } from "../CommandContext.ts"
import { nameOf, printLink } from "./UserCommands.ts"
import { nameFlag } from "../input/Flags.ts"
import { passwordFlag, readPassword } from "../input/InputFile.ts"
import { refusedAction } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { toUser } from "../../http/manage/UsersApi.ts"
import { createOperator, createOperatorLink, Operators } from "../../services/user/Operators.ts"

const emailFlag = Flag.String("email").pipe(Flag.withDescription("The e-mail address to sign in with"))

const create = actionCommand(
  "create",
  "Create an operator, who sees all customers in the console",
  createOperator,
  installation("operator"),
  {
    flags: {
      email: emailFlag,
      name: nameFlag("The name; the e-mail address if absent").pipe(Flag.optional),
      passwordFile: Flag.optional(passwordFlag)
    },
    input: ({ email, name, passwordFile }) =>
      Effect.map(Effect.transposeOption(Option.map(passwordFile, readPassword)), (password) => ({
        email,
        name: nameOf(name, email),
        password: Option.getOrNull(password)
      })),
    print: ({ id, email }) => printOne({ id, email })
  }
)

const list = Command.make("list", {}, () =>
  withManagement(
    Effect.gen(function* () {
      const { list: operators } = yield* Operators
      const found = (yield* operators).map(toUser)
      yield* printMany(
        found.map(({ id, email, name, active, created_at }) => ({ id, email, name, active, created_at }))
      )
    })
  )
).pipe(Command.withDescription("List the operators; peyk user disable --user ID disables one"))

const signInLink = Command.make("sign-in-link", { email: emailFlag }, ({ email }) =>
  withManagement(
    operate(createOperatorLink, { customer: null, target: undefined, input: { email } }).pipe(
      Effect.mapError(refusedAction(`operator ${email} who may sign in`)),
      Effect.flatMap(printLink)
    )
  )
).pipe(
  Command.withDescription("Create a link that signs an operator in to the console once, within 10 minutes")
)

const operatorCommand = Command.make("operator").pipe(Command.withSubcommands([create, list, signInLink]))

export const commands = { operator: operatorCommand }
