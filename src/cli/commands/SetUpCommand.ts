import { Console, Effect, Option, Redacted, Schema } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import { operate, withManagement } from "../CommandContext.ts"
import { nameFlag, optionalText, switchFlag } from "../input/Flags.ts"
import { readInput, SMALL_INPUT_BYTES } from "../input/InputFile.ts"
import { readSettingsFile } from "../input/SettingsInput.ts"
import { type ActionRefusal, CommandError, refusedAction } from "../output/CommandError.ts"
import { asLines, asTable, print } from "../output/Output.ts"
import { describeFinding, describeOutcome } from "../server/DoctorAccounts.ts"
import { publicOrigin } from "./UserCommands.ts"
import { ValidationError } from "../../domain/Errors.ts"
import { AccountFinding } from "../../domain/account/AccountState.ts"
import { textOf } from "../../domain/ProblemTexts.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { signInUrl } from "../../http/console/ConsolePaths.ts"
import { programsOf, SAMPLE_PHONE } from "../../http/console/verification/TestForm.ts"
import { MAX_FIRST_ACCOUNTS, setUpCustomer, type TestSend } from "../../services/customer/CustomerSetUp.ts"
import { ProviderAdapters } from "../../services/provider/ProviderAdapter.ts"
import { type SettingField, settingFields, typedSettings } from "../../services/provider/SettingFields.ts"

type Input = typeof setUpCustomer.input.Encoded
type FirstAccount = NonNullable<Input["accounts"]>[number]

const several = (flag: Flag.Flag<string>) => Flag.between(flag, 0, MAX_FIRST_ACCOUNTS)

const flags = {
  name: nameFlag("The customer's name").pipe(Flag.optional),
  email: optionalText("email", "The address of its owner, who gets a sign-in link"),
  channel: Flag.Literals("channel", Channel.literals).pipe(
    Flag.withDescription("The channel of an account; once for each account, in the order of the route"),
    Flag.between(0, MAX_FIRST_ACCOUNTS)
  ),
  provider: several(
    Flag.String("provider").pipe(Flag.withDescription("Its provider, in the order of --channel"))
  ),
  settingsFile: several(
    Flag.String("settings-file").pipe(
      Flag.withDescription("A file with its settings, as a JSON object; in the order of --channel")
    )
  ),
  noCharging: switchFlag("no-charging", "The customer pays nothing for sends (the default)"),
  topUp: Flag.Int("top-up").pipe(
    Flag.withDescription("Charge sends to a wallet with so many rials"),
    Flag.optional
  ),
  sendTo: optionalText("send-to", "Send a real code to this phone, before anything is stored"),
  file: optionalText(
    "file",
    "All of it from a JSON file: name, email, accounts [{channel, provider, label, settings}], top_up, send_to; - reads standard input"
  )
}

type Given = Command.Command.Config.Infer<typeof flags>

const decodeFile = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
)

const readFile = Effect.fnUntraced(function* (file: string) {
  const text = yield* readInput(file, SMALL_INPUT_BYTES)
  return yield* Effect.mapError(
    Effect.fromResult(decodeFile(text.replace(/^\uFEFF/, ""))),
    () => new CommandError({ message: `--file ${file} is not a JSON object` })
  )
})

/** The files belong to the accounts in their order; those of the simulator, which needs none, may be left out. */
const filesOf = ({ provider, settingsFile }: Given): ReadonlyArray<string | undefined> | null => {
  if (settingsFile.length === provider.length) return settingsFile
  const needing = provider.filter((name) => name !== "simulator").length
  if (settingsFile.length !== needing) return null
  let next = 0
  return provider.map((name) => (name === "simulator" ? undefined : settingsFile[next++]))
}

const accountsOf = Effect.fnUntraced(function* (given: Given) {
  const { channel, provider } = given
  const files = filesOf(given)
  if (channel.length !== provider.length || files === null) {
    return yield* new CommandError({
      message: "give each account its --channel, --provider and --settings-file, in the same order"
    })
  }
  return yield* Effect.forEach(channel, (each, index) =>
    Effect.gen(function* () {
      const file = files[index]
      const settings = file === undefined ? {} : yield* readSettingsFile(file)
      return { channel: each, provider: provider[index] ?? "", settings }
    })
  )
})

const isAtTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY

const askSetting = ({ name, hint, kind, isRequired, choices }: SettingField) => {
  const message = [name, ...(hint === null ? [] : [`(${hint})`]), ...(isRequired ? [] : ["[optional]"])].join(
    " "
  )
  if (kind === "secret") return Prompt.map(Prompt.Password({ message }), (secret) => Redacted.value(secret))
  if (kind !== "choice") return Prompt.String({ message })
  const values = isRequired ? choices : ["", ...choices]
  return Prompt.Select({
    message,
    choices: values.map((value) => ({ title: value === "" ? "–" : value, value }))
  })
}

/** The questions about one account; null: there is no further one. */
const askAccount = Effect.fnUntraced(function* (isFirst: boolean) {
  const channel = yield* Prompt.run(
    Prompt.Select<Channel | null>({
      message: isFirst ? "Which channel comes first?" : "Which channel follows, if nobody enters the code?",
      choices: [
        { title: isFirst ? "none yet" : "no other", value: null },
        ...Channel.literals.map((value) => ({ title: value, value }))
      ]
    })
  )
  if (channel === null) return null
  const usable = [...(yield* ProviderAdapters).values()].filter(
    ({ channels, switchedOff }) => channels.includes(channel) && switchedOff === undefined
  )
  const adapter = yield* Prompt.run(
    Prompt.Select({
      message: `Which provider sends over ${channel}?`,
      choices: usable.map((value) => ({ title: value.name, value }))
    })
  )
  const fields = settingFields(adapter.settings)
  const typed = new Map<string, string>()
  for (const field of fields) typed.set(field.name, yield* Prompt.run(askSetting(field)))
  const settings = typedSettings(fields, (name) => typed.get(name) ?? null)
  return { channel, provider: adapter.name, settings }
})

const askAccounts = Effect.gen(function* () {
  const accounts: Array<FirstAccount> = []
  while (accounts.length < MAX_FIRST_ACCOUNTS) {
    const account = yield* askAccount(accounts.length === 0)
    if (account === null) break
    accounts.push(account)
  }
  return accounts
})

/** What the flags leave open; nothing is asked without a terminal. */
const ask = Effect.fnUntraced(
  function* (given: Given) {
    const answer = (flag: Option.Option<string>, message: string) =>
      Option.match(flag, { onNone: () => Prompt.run(Prompt.String({ message })), onSome: Effect.succeed })
    const name = yield* answer(given.name, "What is the customer's name?")
    const email = yield* answer(given.email, "What is the e-mail address of its owner?")
    const accounts = given.channel.length > 0 ? yield* accountsOf(given) : yield* askAccounts
    const sendTo =
      accounts.length === 0 ? "" : yield* answer(given.sendTo, "Which phone gets a test code? [optional]")
    return inputOf(given, { name, email, accounts, sendTo })
  },
  Effect.catchTag("QuitError", () => new CommandError({ message: "nothing was set up" }))
)

interface Answers {
  readonly name: string
  readonly email: string
  readonly accounts: ReadonlyArray<FirstAccount>
  readonly sendTo: string
}

const inputOf = ({ topUp }: Given, { name, email, accounts, sendTo }: Answers): Input => ({
  name,
  email,
  accounts,
  ...(Option.isSome(topUp) ? { top_up: topUp.value } : {}),
  ...(sendTo.trim() === "" ? {} : { send_to: sendTo })
})

const readSetUp = Effect.fnUntraced(function* (given: Given) {
  if (Option.isSome(given.topUp) && given.noCharging)
    return yield* new CommandError({ message: "give either --no-charging or --top-up" })
  if (Option.isSome(given.file)) return yield* readFile(given.file.value)
  const { name, email, sendTo } = given
  if (Option.isSome(name) && Option.isSome(email)) {
    const accounts = yield* accountsOf(given)
    const to = Option.getOrElse(sendTo, () => "")
    return inputOf(given, { name: name.value, email: email.value, accounts, sendTo: to })
  }
  if (isAtTerminal()) return yield* ask(given)
  return yield* new CommandError({ message: "without a terminal, give --name and --email, or --file" })
})

/** An account's problem names the account. */
const refused =
  (input: { readonly accounts?: unknown }) =>
  (error: ActionRefusal): CommandError => {
    if (error._tag !== "validation_error") return refusedAction("customer")(error)
    const accounts = Array.isArray(input.accounts) ? input.accounts : []
    const lines = error.problems.map((found) => {
      const [, index, field = ""] = /^body\.accounts\[(\d+)\]\.?(.*)$/.exec(found.path) ?? []
      if (index === undefined)
        return refusedAction("customer")(new ValidationError({ problems: [found] })).message
      const { channel = "?", provider = "?" } = accounts[Number(index)] ?? {}
      const named = field === "" || field.startsWith("settings") ? "" : `--${field} `
      const { problem } = found
      const text =
        problem.code === "provider_refuses"
          ? `the provider refuses it: ${problem.params.reason}`
          : `${named}${textOf(problem)}`
      return `account ${Number(index) + 1} (${channel} over ${provider}): ${text}`
    })
    return new CommandError({ message: `nothing was set up: ${lines.join("; ")}` })
  }

const describeTest = ({ account: { channel, provider }, outcome }: TestSend): string =>
  `${channel} over ${provider}: ${describeOutcome(outcome)}`

/** What works, and may not be as wanted. */
const warningsOf = ({ accounts, tests }: SetUpResult): ReadonlyArray<string> => [
  ...accounts.flatMap(({ account: { channel, provider }, finding }) =>
    finding !== undefined && AccountFinding.$is("NotReached")(finding)
      ? [`${channel} over ${provider}: ${describeFinding(finding)}`]
      : []
  ),
  ...accounts.flatMap(({ account: { channel, provider, sendsCodes } }) =>
    sendsCodes ? [] : [`${channel} over ${provider} sends no codes: it is not in the route`]
  ),
  ...tests.filter(({ outcome }) => outcome._tag !== "Accepted").map(describeTest)
]

type SetUpResult = Effect.Success<ReturnType<typeof setUp>>

const setUp = Effect.fnUntraced(function* (input: object) {
  return yield* Effect.mapError(
    operate(setUpCustomer, { customer: null, target: undefined, input }),
    refused(input)
  )
})

const sampleOf = (origin: string, liveKey: string): string =>
  programsOf(origin, {
    mode: "live",
    kind: "code",
    phone: SAMPLE_PHONE,
    targets: [],
    templateId: null,
    message: "",
    parameters: new Map()
  })
    .map(([language, program]) => `${language}:\n\n${program.replaceAll("YOUR_API_KEY", liveKey)}`)
    .join("\n\n")

const report = Effect.fnUntraced(function* (result: SetUpResult) {
  const origin = yield* publicOrigin
  const [live_key, test_key] = [result.liveKey, result.testKey].map(Redacted.value)
  const sign_in_url = signInUrl(origin, result.link.secret)
  const accounts = result.accounts.map(({ account, finding }) => ({
    credential_id: account.id,
    channel: account.channel,
    provider: account.provider,
    label: account.label,
    check: finding === undefined ? "skipped" : describeFinding(finding)
  }))
  const test_send = result.tests.at(-1)
  const fields = {
    customer_id: result.customer.id,
    live_key: live_key ?? "",
    test_key: test_key ?? "",
    sign_in_url
  }
  const json = JSON.stringify({ ...fields, accounts, routing: result.steps })
  const charging = result.customer.plan === "free" ? "no charging" : "paid from the wallet"
  yield* print(
    json,
    [
      asLines({ ...fields, charging }),
      ...(accounts.length === 0 ? [] : ["", asTable(accounts)]),
      ...(test_send === undefined ? [] : ["", describeTest(test_send)]),
      "",
      "Send a code. The keys are shown only now; keep them in your backend.",
      "",
      sampleOf(origin, fields.live_key)
    ].join("\n")
  )
})

const setUpCommand = Command.make("setup", flags, (given) =>
  withManagement(
    Effect.gen(function* () {
      const result = yield* setUp(yield* readSetUp(given))
      yield* Effect.forEach(warningsOf(result), (warning) => Console.error(`warning: ${warning}`))
      yield* report(result)
    })
  )
).pipe(Command.withDescription("Set up a customer that can send; asks for what is missing at a terminal"))

export const commands = { setup: setUpCommand }
