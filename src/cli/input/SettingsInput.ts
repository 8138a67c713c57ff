import { Effect, Option, Schema } from "effect"
import { optionalText } from "./Flags.ts"
import { CommandError } from "../output/CommandError.ts"
import { readInput, SMALL_INPUT_BYTES } from "./InputFile.ts"

const SETTINGS = "--settings"
const SETTINGS_FILE = "--settings-file"

/** Other programs and the shell's history can read a command line, so secrets are better in a file. */
export const settingsFlags = {
  settings: optionalText(
    "settings",
    "All settings of the provider, as a JSON object; other programs can read a command line"
  ),
  settingsFile: optionalText(
    "settings-file",
    "A file with the provider's settings, as a JSON object; - reads standard input"
  )
}

/** Some of the settings; the others stay. */
export const settingsChangeFlags = {
  changeSettings: optionalText(
    "change-settings",
    "Settings to change, as a JSON object: the others stay, null removes one"
  ),
  changeSettingsFile: optionalText(
    "change-settings-file",
    "A file with the settings to change, as a JSON object; - reads standard input"
  )
}

interface GivenSettings {
  readonly settings: Option.Option<string>
  readonly settingsFile: Option.Option<string>
}

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** Parsed here and not by a flag's schema, whose error would repeat the value. */
const parse = (text: string, source: string) =>
  Effect.mapError(
    Effect.fromResult(decode(text)),
    () => new CommandError({ message: `${source} is not a JSON object` })
  )

/** The settings of a file; editors of Windows begin it with a byte order mark. */
export const readSettingsFile = Effect.fnUntraced(function* (file: string, flag = SETTINGS_FILE) {
  const text = yield* readInput(file, SMALL_INPUT_BYTES)
  return yield* parse(text.replace(/^\uFEFF/, ""), `${flag} ${file}`)
})

/** The settings of an account, by these flags; null if none are given. */
export const readSomeSettings = (given: GivenSettings, flag = SETTINGS) =>
  Option.isNone(given.settings) && Option.isNone(given.settingsFile)
    ? Effect.succeed(null)
    : readSettings(given, flag)

/** The settings of an account; none: an empty object. */
export const readSettings = ({ settings, settingsFile }: GivenSettings, flag = SETTINGS) => {
  if (Option.isSome(settingsFile)) {
    return Option.isSome(settings)
      ? Effect.fail(new CommandError({ message: `give either ${flag} or ${flag}-file` }))
      : readSettingsFile(settingsFile.value, `${flag}-file`)
  }
  return parse(
    Option.getOrElse(settings, () => "{}"),
    flag
  )
}

/** The changed settings of an account; null if none are given. */
export const readSettingsChange = (given: {
  readonly changeSettings: Option.Option<string>
  readonly changeSettingsFile: Option.Option<string>
}) =>
  readSomeSettings(
    { settings: given.changeSettings, settingsFile: given.changeSettingsFile },
    "--change-settings"
  )
